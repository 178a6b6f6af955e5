/* Tables of local volatility's steps by a device: surfaces and steps are sent in one piece, tables
 * come back in one. */
#include <pthread.h>
#include <string.h>

#include "kernels/cuda/device/step_tables.h"
#include "kernels/cuda/host/device.h"
#include "kernels/cuda/host/reserve.h"

enum { ROOMS = 512 }; /* 200 MB: tables that are made at a time */

/* The parts of the memory that a call takes. */
struct parts {
    size_t surfaces, smiles, numbers, requests, sent; /* `sent`: where what is sent ends */
    size_t made, rooms, end;
};

static struct parts lay_parts(int n, int n_surfaces, const struct implied_surface *surfaces)
{
    struct parts parts;
    size_t used = 0, smiles = 0, numbers = 0;
    for (int s = 0; s < n_surfaces; s++) {
        smiles += (size_t)surfaces[s].n_times;
        numbers += (size_t)3 * surfaces[s].n_times * surfaces[s].n_strikes;
    }
    parts.surfaces = take_room(&used, (size_t)n_surfaces * sizeof *surfaces);
    parts.smiles = take_room(&used, smiles * sizeof(struct smile));
    parts.numbers = take_room(&used, numbers * sizeof(double));
    parts.requests = take_room(&used, (size_t)n * sizeof(struct table_request));
    parts.sent = used;
    parts.made = take_room(&used, (size_t)n * sizeof(struct table_made));
    parts.rooms = take_room(&used, (size_t)(n < ROOMS ? n : ROOMS) * sizeof(struct table_room));
    parts.end = used;
    return parts;
}

/* Writes surfaces as they are to be at `device`. */
static void write_surfaces(const struct parts *parts, int n, const struct implied_surface *surfaces,
                           char *host, char *device)
{
    struct implied_surface *surface = (struct implied_surface *)(host + parts->surfaces);
    size_t smiles = 0, numbers = 0;
    for (int s = 0; s < n; s++, surface++) {
        *surface = surfaces[s];
        surface->smiles = (struct smile *)(device + parts->smiles) + smiles;
        for (int j = 0; j < surface->n_times; j++) {
            struct smile *smile = (struct smile *)(host + parts->smiles) + smiles++;
            double **const arrays[] = {&smile->k, &smile->w, &smile->curve};
            *smile = surfaces[s].smiles[j];
            for (int a = 0; a < 3; a++, numbers += (size_t)surface->n_strikes) {
                memcpy((double *)(host + parts->numbers) + numbers, *arrays[a],
                       (size_t)surface->n_strikes * sizeof(double));
                *arrays[a] = (double *)(device + parts->numbers) + numbers;
            }
        }
    }
}

static cudaError_t run(int n, const struct parts *parts, char *host, char *device,
                       cudaStream_t stream)
{
    cudaError_t error = cudaMemcpyAsync(device, host, parts->sent, cudaMemcpyHostToDevice, stream);
    if (!error)
        error =
            launch_step_tables(n, (const struct table_request *)(device + parts->requests),
                               (const struct implied_surface *)(device + parts->surfaces),
                               n < ROOMS ? n : ROOMS, (struct table_room *)(device + parts->rooms),
                               (struct table_made *)(device + parts->made), stream);
    if (!error)
        error = cudaMemcpyAsync(host + parts->made, device + parts->made,
                                parts->rooms - parts->made, cudaMemcpyDeviceToHost, stream);
    return error ? error : cudaStreamSynchronize(stream);
}

/* One call at a time: rooms are large, and a call takes a millisecond. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void device_make_tables(int device, int n, const struct table_request *requests, int n_surfaces,
                        const struct implied_surface *surfaces, struct table_made *made)
{
    const struct parts parts = lay_parts(n, n_surfaces, surfaces);
    char *memory = NULL, *host = NULL;
    cudaStream_t stream = NULL;
    pthread_mutex_lock(&lock);
    cudaError_t error = cudaSetDevice(device);
    if (!error) error = reserve_take(device, RESERVE_PINNED, parts.rooms, (void **)&host);
    if (!error) error = reserve_take(device, RESERVE_DEVICE, parts.end, (void **)&memory);
    if (!error) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!error) {
        write_surfaces(&parts, n_surfaces, surfaces, host, memory);
        memcpy(host + parts.requests, requests, (size_t)n * sizeof *requests);
        error = run(n, &parts, host, memory, stream);
    }
    if (!error) memcpy(made, host + parts.made, (size_t)n * sizeof *made);
    if (stream) cudaStreamDestroy(stream);
    reserve_give(memory);
    reserve_give(host);
    cudaGetLastError();
    pthread_mutex_unlock(&lock);
}
