/* Paths of one asset under any model of models.def: what the kernels share that simulate them. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_MODELS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_MODELS_CUH

#include "kernels/cuda/device/record.cuh"
#include "models/dynamics/dividend.h"

/* The coefficients of one step of one underlying, 16 bytes a load. */
template <int MODEL_ID>
struct loaded_coefficients {
    static_assert(model_row<MODEL_ID>::COEFFICIENTS % 2 == 0, "coefficients are loaded in pairs");
    double c[model_row<MODEL_ID>::COEFFICIENTS];

    __device__ __forceinline__ void load(const double *from)
    {
#pragma unroll
        for (int i = 0; i < model_row<MODEL_ID>::COEFFICIENTS; i += 2) {
            double2 two = __ldg(reinterpret_cast<const double2 *>(from + i));
            c[i] = two.x, c[i + 1] = two.y;
        }
    }
};

/* The next dividend, fetched before it is needed. */
struct next_dividend {
    const struct dividend *at; /* in device memory */
    int step, underlying;
    double amount;

    __device__ __forceinline__ void fetch(const struct dividend *from)
    {
        int4 bits = __ldg(reinterpret_cast<const int4 *>(from));
        at = from;
        step = bits.x, underlying = bits.y;
        amount = __hiloint2double(bits.w, bits.z);
    }
};

/* PATHS paths of the group's one asset, as observations see them. */
template <int MODEL_ID, int PATHS>
struct model_paths {
    /* One asset has no leader: without that code, though, kernels take more registers */
    enum { GIVES = READS_CLOCK | READS_VARIANCE | READS_LEADER };
    struct path_state state[PATHS];
    struct next_dividend next;

    __device__ __forceinline__ double x(int, int q) const
    {
        return state[q].x;
    }
    __device__ __forceinline__ double v(int, int q) const
    {
        return state[q].v;
    }
    __device__ __forceinline__ double clock(int, int q) const
    {
        return state[q].clock;
    }

    __device__ __forceinline__ void begin(const struct path_launch &w)
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++) state[q] = w.start;
        next.fetch(w.dividends);
    }

    /* Takes one step by coefficients `c` and normals z[path][factor]. */
    __device__ __forceinline__ void move(const struct path_launch &w, const double *c,
                                         const double (*z)[model_row<MODEL_ID>::FACTORS])
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++) model_row<MODEL_ID>::step(c, w.table, &state[q], z[q]);
    }

    /* Pays the dividends of step j. */
    __device__ __forceinline__ void pay_dividends(int j)
    {
        for (; next.step == j; next.fetch(next.at + 1))
#pragma unroll
            for (int q = 0; q < PATHS; q++) state[q].x = after_dividend(state[q].x, next.amount);
    }
};

/* Launches KERNEL<record, model>: LAUNCH_RECORD for kernels of one model. */
#define LAUNCH_MODEL(KERNEL, MODEL_ID, path_launch, record, paths_a_thread, block, ring, stream)   \
    launch_recording(KERNEL<RECORD_SUM, MODEL_ID>, KERNEL<RECORD_OBSERVATIONS, MODEL_ID>,          \
                     KERNEL<RECORD_SUM | RECORD_OBSERVATIONS, MODEL_ID>, path_launch, record,      \
                     paths_a_thread, block, ring, stream)

#endif
