/* Normals that are kept on a device: equal keys find what the first of them drew, other keys do
 * not, what has no room is not kept, and nothing is given up while anybody reads. A draw fills its
 * memory with a number of its own. Exit 77 where no GPU can be used. */
#include "kernels/engine.h"
#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA

#include "kernels/cuda/host/kept_normals.h"

enum { BYTES = 1 << 20 };

static int failed, drawn;

static void expect(int right, const char *what)
{
    if (right) return;
    printf("FAILED: %s\n", what);
    failed++;
}

static cudaError_t fill(const void *context, void *normals, cudaStream_t stream)
{
    drawn++;
    return cudaMemsetAsync(normals, *(const int *)context, BYTES, stream);
}

/* Finds the normals of a key; NULL where there is no room, or where they are not those of
 * `number`. */
static void *find(const struct normals_key *key, size_t bytes, int number, cudaStream_t stream)
{
    static unsigned char read[BYTES];
    void *normals;
    if (kept_normals_find(0, key, bytes, fill, &number, stream, &normals) != cudaSuccess) failed++;
    if (!normals) return NULL;
    if (cudaMemcpyAsync(read, normals, BYTES, cudaMemcpyDeviceToHost, stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
        failed++;
    for (int i = 0; i < BYTES; i++)
        if (read[i] != number) return NULL;
    return normals;
}

/* Keys that differ in one thing each, from the first. */
static int make_keys(struct normals_key *keys)
{
    struct underlying underlyings[2] = {{.stream = 3}, {.stream = 5, .factor = 2}};
    struct group group = {
        .n_underlyings = 2, .underlyings = underlyings, .n_steps = 4, .n_factors = 3};
    int n = 0;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    normals_key_make(&group, 2, false, 0, 1024, 4, &keys[n++]);
    normals_key_make(&group, 1, true, 0, 1024, 4, &keys[n++]);
    normals_key_make(&group, 1, false, 1024, 1024, 4, &keys[n++]);
    normals_key_make(&group, 1, false, 0, 2048, 4, &keys[n++]);
    normals_key_make(&group, 1, false, 0, 1024, 8, &keys[n++]);
    group.n_steps = 5;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    group.n_steps = 4, group.n_factors = 4;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    group.n_factors = 3, group.n_pairs = 1;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    group.n_pairs = 0, underlyings[1].stream = 6;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    underlyings[1].stream = 5, underlyings[1].factor = 1;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    group.n_underlyings = 1;
    normals_key_make(&group, 1, false, 0, 1024, 4, &keys[n++]);
    return n;
}

/* Takes room until there is none; returns how many found some. */
static int fill_up(struct normals_key key, cudaStream_t stream)
{
    int n = 0;
    for (key.seed = 1000; n < 4096; n++, key.seed++)
        if (!find(&key, (size_t)1 << 28, 77, stream)) break;
    return n;
}

static void test_keys(cudaStream_t a, cudaStream_t b)
{
    struct normals_key keys[16];
    void *first[16];
    int n = make_keys(keys);
    kept_normals_begin(0);
    for (int k = 0; k < n; k++) first[k] = find(&keys[k], BYTES, k + 1, a);
    expect(drawn == n, "another key found the normals of one");
    for (int k = 0; k < n; k++)
        expect(first[k] && find(&keys[k], BYTES, k + 1, b) == first[k],
               "a key found other normals");
    expect(drawn == n, "normals that are kept were drawn again");
    kept_normals_begin(0);
    size_t free_bytes, all_bytes;
    expect(cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess, "memory");
    expect(!find(&(struct normals_key){.seed = 9}, all_bytes / 2, 9, a),
           "half of the device's memory was taken");
    int most = fill_up(keys[0], b);
    expect(most > 0 && most < 4096, "it is never full");
    expect((size_t)most <= all_bytes / 8 >> 28, "more than the share was taken");
    kept_normals_end(0);
    kept_normals_begin(0);
    drawn = 0;
    for (int k = 0; k < n; k++)
        expect(find(&keys[k], BYTES, k + 1, b) == first[k], "normals went while they were read");
    expect(!drawn, "normals went while they were read");
    kept_normals_end(0);
    kept_normals_end(0);
    kept_normals_begin(0);
    expect(find(&keys[1], BYTES, 50, a) && drawn == 1, "what is full was not emptied");
    expect(find(&keys[1], BYTES, 50, b) && drawn == 1, "nothing is kept after that");
    expect(fill_up(keys[0], a) > 0, "its room was not given up");
    kept_normals_end(0);
}

TEST_MAIN(gpu_kept_normals_test)
{
    struct message why = {""};
    cudaStream_t a, b;
    if (cuda_engine.ready(&why)) {
        printf("skipped: %s\n", why.text);
        return 77;
    }
    if (cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) != cudaSuccess ||
        cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    test_keys(a, b);
    printf("%d failures\n", failed);
    return failed ? 1 : 0;
}

#else

TEST_MAIN(gpu_kept_normals_test)
{
    printf("skipped: built without CUDA\n");
    return 77;
}

#endif
