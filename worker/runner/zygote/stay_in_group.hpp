#pragma once

namespace autokernel::runner {

/// From now on this process, and whatever it starts, stays in its process group: setsid and setpgid do nothing and say
/// that they succeeded, since an honest program that detaches a helper must go on. The judge stops the group whenever
/// it asks nothing; a process outside of it could work, and slow the reference, meanwhile. By seccomp; false where the
/// kernel has none.
[[nodiscard]] bool stay_in_group();

}  // namespace autokernel::runner
