#include "app/mpi/rank_state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What a message ends with, behind its letter's body. */
struct letter_tail {
    uint64_t key, id;
    int64_t number;
    int32_t kind, nothing;
};

struct letter *letter_new(enum letter_kind kind, int rank, uint64_t key, uint64_t id,
                          int64_t number)
{
    struct letter *letter = malloc(sizeof *letter);
    if (letter)
        *letter =
            (struct letter){.kind = kind, .rank = rank, .key = key, .id = id, .number = number};
    return letter;
}

void letter_free(struct letter *letter)
{
    if (letter) bytes_free(&letter->body);
    free(letter);
}

void letters_put(struct letters *letters, struct letter *letter)
{
    letter->next = NULL;
    if (letters->first) letters->last->next = letter;
    else letters->first = letter;
    letters->last = letter;
}

struct letter *letters_take(struct letters *letters, uint64_t key)
{
    struct letter *before = NULL, *letter = letters->first;
    while (letter && key && letter->key != key) before = letter, letter = letter->next;
    if (!letter) return NULL;
    if (before) before->next = letter->next;
    else letters->first = letter->next;
    if (letters->last == letter) letters->last = before;
    return letter;
}

enum status post_send(struct letters *post, struct letter *letter)
{
    const struct letter_tail tail = {
        .key = letter->key, .id = letter->id, .number = letter->number, .kind = letter->kind};
    enum status status = bytes_add(&letter->body, &tail, sizeof tail);
    if (!status && letter->body.n > INT_MAX) status = STATUS_ENGINE;
    if (status) {
        letter_free(letter);
        return status;
    }
    MPI_Isend(letter->body.at, (int)letter->body.n, MPI_BYTE, letter->rank, 0, MPI_COMM_WORLD,
              &letter->request);
    letters_put(post, letter);
    return STATUS_OK;
}

bool post_all_sent(struct letters *post)
{
    struct letters waiting = {0};
    for (struct letter *letter; (letter = letters_take(post, 0));) {
        int sent = 0;
        MPI_Test(&letter->request, &sent, MPI_STATUS_IGNORE);
        if (sent) letter_free(letter);
        else letters_put(&waiting, letter);
    }
    *post = waiting;
    return !waiting.first;
}

enum status post_receive(struct letter **letter)
{
    int there = 0, n = 0;
    MPI_Status from;
    struct letter_tail tail;
    *letter = NULL;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &from);
    if (!there) return STATUS_OK;
    MPI_Get_count(&from, MPI_BYTE, &n);
    unsigned char *message = malloc((size_t)n + 1);
    if (!message) return STATUS_NO_MEMORY;
    MPI_Recv(message, n, MPI_BYTE, from.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    size_t of_body = (size_t)n - sizeof tail;
    memcpy(&tail, message + of_body, sizeof tail);
    struct letter *made =
        letter_new((enum letter_kind)tail.kind, from.MPI_SOURCE, tail.key, tail.id, tail.number);
    if (made && !bytes_add(&made->body, message, of_body)) *letter = made;
    else letter_free(made);
    free(message);
    return *letter ? STATUS_OK : STATUS_NO_MEMORY;
}
