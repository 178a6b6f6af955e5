#include "app/mpi/rank_state.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"

/* What a message begins with; its letter's body follows. */
struct letter_head {
    uint64_t key, id;
    int64_t number;
    int32_t kind, nothing;
};

/* A message on its way. */
struct sending {
    MPI_Request request;
    unsigned char *message;
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

enum status post_send(struct post *post, struct letter *letter)
{
    const struct letter_head head = {
        .key = letter->key, .id = letter->id, .number = letter->number, .kind = letter->kind};
    size_t n = sizeof head + letter->body.n;
    unsigned char *message = n <= INT_MAX ? malloc(n) : NULL;
    enum status status = n > INT_MAX ? STATUS_ENGINE : STATUS_NO_MEMORY;
    if (message)
        status = grow_array(&post->sendings, &post->room, post->n + 1, sizeof *post->sendings);
    if (!status) {
        struct sending *sending = &post->sendings[post->n++];
        memcpy(message, &head, sizeof head);
        if (letter->body.n) memcpy(message + sizeof head, letter->body.at, letter->body.n);
        sending->message = message;
        MPI_Isend(message, (int)n, MPI_BYTE, letter->rank, 0, MPI_COMM_WORLD, &sending->request);
    } else free(message);
    letter_free(letter);
    return status;
}

bool post_all_sent(struct post *post)
{
    for (int i = 0; i < post->n;) {
        int sent = 0;
        MPI_Test(&post->sendings[i].request, &sent, MPI_STATUS_IGNORE);
        if (!sent) i++;
        else {
            free(post->sendings[i].message);
            post->sendings[i] = post->sendings[--post->n];
        }
    }
    return post->n == 0;
}

enum status post_receive(struct letter **letter)
{
    int there = 0, n = 0;
    MPI_Status from;
    struct letter_head head;
    *letter = NULL;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &from);
    if (!there) return STATUS_OK;
    MPI_Get_count(&from, MPI_BYTE, &n);
    unsigned char *message = malloc((size_t)n + 1);
    if (!message) return STATUS_NO_MEMORY;
    MPI_Recv(message, n, MPI_BYTE, from.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&head, message, sizeof head);
    struct letter *made =
        letter_new((enum letter_kind)head.kind, from.MPI_SOURCE, head.key, head.id, head.number);
    if (made && !bytes_add(&made->body, message + sizeof head, (size_t)n - sizeof head))
        *letter = made;
    else letter_free(made);
    free(message);
    return *letter ? STATUS_OK : STATUS_NO_MEMORY;
}
