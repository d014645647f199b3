// Files copied within a sandbox. A terabyte of nothing costs a program no memory, and its copy none.
#pragma once

namespace sbx {

// The regular file `from` in the place of all that `to` had; holes stay holes. No more than it has now, since
// a living program may write on. Moves the offset of both. 0 or a negative error number.
long CopySparse(int from, int to);

}  // namespace sbx
