// Paths that the engine hides from its sandboxes.
#pragma once

namespace sbx {

// Covers a path of the new root, links inside followed within it: a folder by an empty one that nobody can
// write to, all else by the null device. What is not there needs no cover. 0 or a negative error number.
int CoverPath(int root, const char* path);

}  // namespace sbx
