// What is open in a process that resolves names from outside: what it needs, and nothing else.
#pragma once

#include "failure.h"

namespace sbx {

struct Launch;

// Closes all but these, whatever they are and whoever opened them. Sorts `kept`, where negative numbers count
// for nothing.
Failure CloseAllBut(int* kept, unsigned count);

// Gives the program's descriptors their numbers, in a table that is our own already, and closes all the
// others but `report` (-1: none).
Failure PlaceDescriptorsInChild(const Launch& launch, int report);

}  // namespace sbx
