// Names from outside: the working folder and the file of a program, resolved in its own process. Two walls
// stand around that. By then nothing that leads outside is open there (descriptors.h), so there is nothing
// for a link to lead through; and each name goes through openat2 without magic links, then a folder is looked
// at once more from the other end.
#pragma once

#include "failure.h"

namespace sbx {

struct Launch;

// Why a working folder was refused, as index of its stage; 0: the kernel did not open it, and the error
// number says why.
constexpr unsigned kFolderNotEntered = 1, kFolderIsOutside = 2;

Failure EnterFolderInChild(const char* path);

// Leaves in `launch` the paths that are worth executing: one that leads nowhere becomes empty, and the list
// ends behind one that decides the start. With kStartFindFirst one is left, which is what the program finds
// in argv[0]. The result is what the names say: what the start failed with, when none of those that are left
// can be executed either.
Failure CheckNamesInChild(const Launch& launch);

}  // namespace sbx
