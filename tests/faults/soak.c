/* SPDX-License-Identifier: MIT */
/* Mixed calls from several threads, each with contexts of its own, for as long as asked. usage: soak SECONDS [THREADS [leak | race]]
 *
 * Every round of every thread must find the numbers of the first round. All threads meet after every PERIOD rounds, when nothing is alive:
 * then the bytes in use of malloc and the resident set are noted. After a warm-up of a tenth of the time neither may grow: the last
 * third of the notes is compared with the first. Prints a CSV line per minute and a verdict; ends with 1 if something grew or differed.
 * `leak` and `race` plant a fault: 16 KiB are lost in every round, or threads share a number. */
#define _GNU_SOURCE
#include "workload.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64, PERIOD = 4, MOST_NOTES = 1 << 16 };
static const double heap_slack = 64e3, resident_slack = 2e6; /* bytes */

static struct {
  int threads, leak, race;
  double seconds, began;
  char folder[64];
  pthread_barrier_t barrier;
  pthread_mutex_t hdf5;
  uint64_t digest;
  atomic_int failed, stop;
  atomic_llong rounds;
  long shared; /* the race */
  int notes;
  double minute, heap[MOST_NOTES], resident[MOST_NOTES];
} s;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void lock_hdf5(int lock) { (void)(lock ? pthread_mutex_lock(&s.hdf5) : pthread_mutex_unlock(&s.hdf5)); }

static double resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void note(void) {
  const double t = now() - s.began;
  if (t >= 0.1 * s.seconds && s.notes < MOST_NOTES) {
    s.heap[s.notes] = (double)mallinfo2().uordblks;
    s.resident[s.notes++] = resident();
  }
  if (t >= s.minute) {
    printf("%.0f,%lld,%.0f,%.0f\n", t, (long long)s.rounds, (double)mallinfo2().uordblks, resident());
    fflush(stdout);
    s.minute += 60;
  }
  if (t >= s.seconds || s.failed) s.stop = 1;
}

static void *live(void *number) {
  const int me = (int)(intptr_t)number;
  char folder[96];
  struct work *w = malloc(sizeof *w);
  snprintf(folder, sizeof folder, "%s/%d", s.folder, me);
  while (!s.stop) {
    for (int k = 0; k < PERIOD && !s.failed; ++k) {
      /* Every other round of a thread has a team of two. */
      const atp_status status = work_round(w, folder, 1 + k % 2, lock_hdf5);
      if (status != ATP_OK || w->digest != s.digest) {
        fprintf(stderr, "soak: thread %d: %s: %s\n", me, status == ATP_OK ? "other numbers" : atp_status_name(status), w->error);
        s.failed = 1;
      }
      void *volatile lost = s.leak ? malloc(1 << 14) : w; /* a compiler may leave out a block that nobody keeps */
      if (lost == NULL) s.failed = 1;
      if (s.race) ++s.shared;
      ++s.rounds;
    }
    if (pthread_barrier_wait(&s.barrier) == PTHREAD_BARRIER_SERIAL_THREAD) note();
    pthread_barrier_wait(&s.barrier);
  }
  free(w);
  return NULL;
}

static int compare(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Bytes by which the median of the last third of the notes is above that of the first. */
static double growth(const double *notes) {
  static double part[2][MOST_NOTES];
  const int third = s.notes / 3;
  if (third < 1) return 0;
  memcpy(part[0], notes, (size_t)third * sizeof *notes);
  memcpy(part[1], notes + s.notes - third, (size_t)third * sizeof *notes);
  for (int k = 0; k < 2; ++k) qsort(part[k], (size_t)third, sizeof **part, compare);
  return part[1][third / 2] - part[0][third / 2];
}

static int make_folders(int make) {
  char path[256];
  if (make && mkdtemp(strcpy(s.folder, "soak-XXXXXX")) == NULL) return 1;
  for (int k = 0; k <= s.threads; ++k) {
    snprintf(path, sizeof path, "%s/%d", s.folder, k);
    if (make) {
      char command[300];
      snprintf(command, sizeof command, "mkdir %s", path);
      if (system(command) != 0) return 1;
      continue;
    }
    for (int file = 0; file < WORK_FILES; ++file) {
      snprintf(path, sizeof path, "%s/%d/%s", s.folder, k, work_names[file]);
      remove(path);
    }
    snprintf(path, sizeof path, "%s/%d", s.folder, k);
    remove(path);
  }
  return make ? 0 : remove(s.folder);
}

int main(int argc, char **argv) {
  pthread_t threads[MOST_THREADS];
  s.seconds = argc > 1 ? atof(argv[1]) : 0;
  s.threads = argc > 2 ? atoi(argv[2]) : 8;
  s.leak = argc > 3 && strcmp(argv[3], "leak") == 0;
  s.race = argc > 3 && strcmp(argv[3], "race") == 0;
  if (s.seconds <= 0 || s.threads < 1 || s.threads >= MOST_THREADS || (argc > 3 && !s.leak && !s.race)) {
    fprintf(stderr, "usage: soak SECONDS [THREADS [leak | race]]\n");
    return 2;
  }
  /* A few arenas, and none that grows at its own will: what is in use is then a number of the program. */
  mallopt(M_ARENA_MAX, 2);
  pthread_barrier_init(&s.barrier, NULL, (unsigned)s.threads);
  pthread_mutex_init(&s.hdf5, NULL);
  if (make_folders(1) != 0) return 2;
  struct work *first = malloc(sizeof *first);
  char folder[96];
  snprintf(folder, sizeof folder, "%s/%d", s.folder, s.threads);
  const atp_status status = work_round(first, folder, 1, lock_hdf5);
  if (status != ATP_OK) fprintf(stderr, "soak: the first round: %s: %s\n", atp_status_name(status), first->error);
  s.digest = first->digest;
  s.failed = status != ATP_OK;
  free(first);
  s.began = now();
  printf("seconds,rounds,heap_bytes,resident_bytes\n");
  for (intptr_t k = 0; k < s.threads; ++k)
    if (pthread_create(&threads[k], NULL, live, (void *)k) != 0) return 2; /* the others would wait for ever */
  for (int k = 0; k < s.threads; ++k) pthread_join(threads[k], NULL);
  const double heap = growth(s.heap), set = growth(s.resident);
  const int grew = heap > heap_slack || set > resident_slack, short_of_notes = s.notes < 3;
  if (make_folders(0) != 0) fprintf(stderr, "soak: %s is not empty\n", s.folder), s.failed = 1;
  printf("# threads %d, rounds %lld, digest %016llx, heap growth %.0f, resident growth %.0f, notes %d: %s\n", s.threads,
         (long long)s.rounds, (unsigned long long)s.digest, heap, set, s.notes,
         s.failed         ? "failed"
         : grew           ? "memory grew"
         : short_of_notes ? "too short"
                          : "passed");
  return s.failed || grew || short_of_notes;
}
