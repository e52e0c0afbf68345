/* SPDX-License-Identifier: MIT */
/* What saveRDS(), serialize() and parallel workers take along of a handle: the bytes of its state.
 *
 * R writes with an external pointer the object that it protects. Here that is a raw vector of the ALTREP class below, whose bytes are made
 * when they are written, and which comes back as a plain raw vector; box_of() makes a handle of that when it is first used (revive()). */
#include "glue.h"

#include <R_ext/Altrep.h>

static R_altrep_class_t saved_class;

#define STATES(DO) DO(alignment) DO(model) DO(sampler) DO(sampling) DO(trainer)

/* The box of what is open, or NULL: a handle that was closed has no bytes. */
static const box *owner_of(SEXP saved) {
  const box *b = R_ExternalPtrAddr(R_altrep_data1(saved));
  return b == NULL || b->handle == NULL ? NULL : b;
}

static R_xlen_t length_of(SEXP saved) {
  const box *b = owner_of(saved);
  if (b == NULL) return 0;
#define SIZE(name) \
  case KIND_##name: return (R_xlen_t)atp_##name##_state_bytes(b->handle);
  switch (b->kind) {
    STATES(SIZE)
    default: return 0;
  }
#undef SIZE
}

static SEXP bytes_of(SEXP saved) {
  const box *b = owner_of(saved);
  const R_xlen_t size = length_of(saved);
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, size));
  atp_status status = ATP_OK;
#define SAVE(name) \
  case KIND_##name: status = atp_##name##_save_state(b->handle, RAW(bytes), size); break;
  if (b != NULL) switch (b->kind) {
      STATES(SAVE)
      default: break;
    }
#undef SAVE
  finish(status);
  UNPROTECT(1);
  return bytes;
}

/* For formats of R before 3.5, which know no such classes. */
static void *data_of(SEXP saved, Rboolean writable) {
  (void)writable;
  R_set_altrep_data2(saved, bytes_of(saved));
  return RAW(R_altrep_data2(saved));
}

static SEXP plain(SEXP class, SEXP bytes) {
  (void)class;
  return bytes;
}

SEXP saved_by(SEXP pointer, kind kind) {
#define HAS(name) || kind == KIND_##name
  return 0 STATES(HAS) ? R_new_altrep(saved_class, pointer, R_NilValue) : R_NilValue;
#undef HAS
}

void define_saved(DllInfo *library) {
  saved_class = R_make_altraw_class("saved_state", "attopotts", library);
  R_set_altrep_Length_method(saved_class, length_of);
  R_set_altrep_Serialized_state_method(saved_class, bytes_of);
  R_set_altrep_Unserialize_method(saved_class, plain);
  R_set_altvec_Dataptr_method(saved_class, data_of);
}
