/* SPDX-License-Identifier: MIT */
/* The best pairs of a protein family: read an alignment, learn dense couplings, rank the pairs of sites. usage: family ALIGNMENT
 * Build: cc family.c -o family $(pkg-config --cflags --libs attopotts-io) */
#include <attopotts_io.h>

#include <stdio.h>
#include <stdlib.h>

enum { BEST = 10 };

static void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}

int main(int count, char **arguments) {
  atp_context *context;
  atp_options *options;
  atp_alignment *family;
  atp_trainer *trainer;
  atp_model *learned;
  atp_table *pairs;
  atp_outcome outcome;
  double row[BEST][ATP_CONTACTS_COLUMNS];
  if (count != 2) return fprintf(stderr, "usage: family ALIGNMENT\n"), 2;

  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
  check(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_table_create(context, ATP_TABLE_CONTACTS, BEST, &pairs));

  check(atp_alignment_read(context, arguments[1], "protein", NULL, &family));
  check(atp_alignment_weigh(family, 0.2, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL));
  check(atp_trainer_create(context, family, options, &trainer));
  check(atp_trainer_run(trainer, 200, NULL, NULL, &outcome));
  check(atp_trainer_model(trainer, &learned));
  check(atp_model_contacts(context, learned, ATP_SCORE_ZERO_SUM, ATP_GAP_AUTO, 6, pairs));

  check(atp_table_values(pairs, &row[0][0], BEST * ATP_CONTACTS_COLUMNS));
  for (int k = 0; k < BEST; ++k) printf("%.0f %.0f %.6f\n", row[k][ATP_CONTACTS_I], row[k][ATP_CONTACTS_J], row[k][ATP_CONTACTS_APC]);

  atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(family);
  atp_table_destroy(pairs), atp_options_destroy(options), atp_context_destroy(context);
  return 0;
}
