// Where the rows of the mount table lie in the root. A row may lie in a folder of the host that programs can
// write to, where they rename folders and make links: nothing here follows a link of theirs, and the folders
// around a row cannot be renamed.
#pragma once

#include <stdint.h>
#include <sys/stat.h>

#include "../common/fd.h"
#include "../common/text.h"

namespace sbx {

constexpr unsigned kStatxMntId = 0x1000;  // STATX_MNT_ID, Linux 5.8

// A path in the root, without the first slash.
using RootPath = Text<4096>;

// The number of a mount, where `place` was asked for it (kStatxMntId).
uint64_t MountOf(const struct statx& place);

// A place in the root, reached through no link, as an O_PATH descriptor; or a negative error number.
int OpenPlace(const char* path);

// The folder that holds the last component of `path`, which `last` then is; makes folders on the way.
int OpenParent(int root, const char* path, const char*& last);

// The same for what is to be mounted there: each folder on the way that programs could rename becomes a mount
// of its own, which the kernel refuses to rename (EBUSY). What is moved in or out of such a folder is moved
// between mounts (EXDEV). Makes nothing.
int OpenPinnedParent(int root, const char* path, const char*& last);

// Opens `path` (O_PATH) and says where it is without links. A link in a folder that programs can write to is
// followed only to what they can write to as well: -EXDEV where it leads elsewhere, and -ENOENT where it
// leads nowhere, or round in circles.
int OpenThroughLinks(int root, const char* path, RootPath& real);

}  // namespace sbx
