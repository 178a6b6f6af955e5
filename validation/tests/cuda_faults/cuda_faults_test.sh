#!/usr/bin/env bash
# cuda_faults.def must have every call of the CUDA runtime that the engine's object files make, so
# that gpu_faults_test can fail it.
set -euo pipefail

engine=${BUILD_DIR:?the build}/libcuda_kernels.a
if ! [[ -e $engine ]] || ! command -v nm >/dev/null; then
    echo "no CUDA engine was built"
    exit 77
fi

# Those that say no error of their own, that the compiler writes itself, and names of one runtime
# for another's function.
made() {
    nm -u "$engine" | grep -oE '\b(__)?(cuda|curand)[A-Z][A-Za-z0-9_]*' | sed 's/_v[0-9]*$//' | sort -u |
        grep -vxE 'cuda(GetErrorString|GetErrorName|GetLastError|PeekAtLastError)|__cuda(GetKernel|(Push|Pop)CallConfiguration|(Unr|R)egister[A-Za-z]*)'
}

failed=$(sed -nE 's/^[A-Z]+\(([A-Za-z0-9_]+),.*/\1/p' validation/tests/cuda_faults/cuda_faults.def | sort -u)
[[ $(made | wc -l) -gt 20 ]] || { echo "FAILED: the engine makes hardly a call: $(made)" >&2 && exit 1; }
missing=$(comm -23 <(made) - <<<"$failed")
[[ -z $missing ]] || { echo "FAILED: cuda_faults.def lacks $missing" >&2 && exit 1; }
echo "cuda_faults_test: $(made | wc -l) calls of the runtime, each of which can be failed"
