// Memory from 4 MiB on, which operator new takes from the system in huge pages and operator delete
// gives back. To touch a page first is dear: it is filled with zeros, and a virtual machine may
// have to ask its host for it.
#pragma once

namespace dlview::base {

// As long as one lives, large memory that is deleted is kept for whoever asks next, on any thread;
// with the last one, or when memory runs out, it goes back to the system. For jobs that build much
// from much, one after the other.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
};

}  // namespace dlview::base
