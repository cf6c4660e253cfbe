#pragma once

namespace autokernel::runner {

/// Queues a kernel of one thread that runs for this long by the device's own clock. `stream` is a cudaStream_t; returns
/// a cudaError_t. The time is fixed rather than ended by the host: a candidate that waits for the stream within forward
/// would otherwise wait for ever.
[[nodiscard]] int hold_stream(void* stream, double microseconds);

}  // namespace autokernel::runner
