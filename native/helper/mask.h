// Paths that the engine hides from its sandboxes.
#pragma once

#include "template.h"

namespace sbx {

// Covers a path of the new root, links inside followed within it: a folder by an empty one that nobody can
// write to, all else by the null device. What is not there needs no cover. 0 or a negative error number;
// -EXDEV where a link that a program may have made leads to what no program can write to.
int CoverPath(int root, const char* path);

// The rows of the mount table that are masks, and lie on something: a bit each.
struct Masks {
  uint64_t covered[(kMountRowsMax + 63) / 64] = {};
};

// A cover lies on a file, not on its name: when the host puts another file there (renames it over, as editors
// and package managers do) or removes it, the kernel takes the cover away, in every mount namespace. So each
// sandbox covers its paths again while it is made,
Failure CoverAgain(const Template& plan, Masks& masks);

// and looks at them before each start, when it may mount nothing any more.
Failure CheckCovers(const Template& plan, const Masks& masks);

}  // namespace sbx
