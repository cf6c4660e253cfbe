/* The interface of a native candidate (.cu, .hip or .cpp): one C function, no torch header.
 *
 *   #include <autokernel/kernel.h>
 *   AUTOKERNEL_KERNEL(const AutokernelCall* call) {
 *     const AutokernelTensor* x = &call->inputs[0].tensor;
 *     AutokernelTensor* y = &call->outputs[0];
 *     relu<<<blocks, threads, 0, (cudaStream_t)call->stream>>>((const float*)x->data, (float*)y->data, n);
 *     return 0;
 *   }
 *
 * The function is called once per forward, with the device current. It queues its work on `stream` (ignored on the CPU)
 * and returns 0, or a nonzero error code after writing what is wrong into `message`.
 */
#ifndef AUTOKERNEL_KERNEL_H_
#define AUTOKERNEL_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when a struct below changes; call->version tells which one the caller was built with. */
#define AUTOKERNEL_KERNEL_VERSION 1

/* Bit for bit DLPack's DLTensor (dlpack.h, v1): code 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool; lanes is 1. */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} AutokernelType;

typedef struct {
  void* data;          /* device memory; first element, byte_offset is 0 */
  int32_t device_type; /* DLPack's: 1 CPU, 2 CUDA, 10 ROCm */
  int32_t device_id;
  int32_t ndim;
  AutokernelType dtype;
  const int64_t* shape;   /* ndim extents */
  const int64_t* strides; /* ndim strides in elements; every tensor of a call is dense and row-major */
  uint64_t byte_offset;
} AutokernelTensor;

typedef enum {
  AUTOKERNEL_TENSOR = 0,
  AUTOKERNEL_INTEGER = 1,
  AUTOKERNEL_REAL = 2,
  AUTOKERNEL_BOOLEAN = 3, /* in `integer`, 0 or 1 */
  AUTOKERNEL_NONE = 4
} AutokernelKind;

/* One argument of forward: a tensor, or a Python number as it is. */
typedef struct {
  AutokernelKind kind;
  AutokernelTensor tensor;
  int64_t integer;
  double real;
} AutokernelValue;

typedef struct {
  int32_t version;
  int32_t num_inputs;
  const AutokernelValue* inputs; /* forward's arguments, in order; lists and tuples flattened. Do not write to them. */
  int32_t num_weights;
  const AutokernelTensor* weights; /* parameters and buffers of the reference, in state_dict order */
  int32_t num_outputs;
  AutokernelTensor* outputs; /* allocated by the caller: write all of each */
  void* stream;              /* cudaStream_t or hipStream_t; NULL on the CPU */
  char* message;             /* room for an error's text, NUL-terminated */
  size_t message_size;
} AutokernelCall;

#if defined(__cplusplus)
#define AUTOKERNEL_KERNEL(parameter) extern "C" __attribute__((visibility("default"))) int autokernel_forward(parameter)
#else
#define AUTOKERNEL_KERNEL(parameter) __attribute__((visibility("default"))) int autokernel_forward(parameter)
#endif

#ifdef __cplusplus
}
#endif

#endif /* AUTOKERNEL_KERNEL_H_ */
