/* What the models of assets are made of. */
#ifndef PRICER_APP_CONFIG_READ_MODELS_H
#define PRICER_APP_CONFIG_READ_MODELS_H

#include "app/config/reader.h"

/* The models' names, in their order, separated by blanks. */
extern const char model_words[];

/* The groups `heston` and `jumps`; they fill a struct asset. */
extern const struct key_table heston_table, jump_table;

/* Checks that an asset's group has the keys that its model is made of and none of another's, and
 * reads its volatilities. Its model is known, `heston` and `jumps` have been read. Complaints and
 * notes go to the reader. */
void read_model(struct reader *reader, const config_setting_t *group, struct asset *asset);

/* Tells whether the surface of asset i is free of arbitrage: the asset and its currency have been
 * read without complaint. Does nothing for models without a surface. */
void check_surface(struct reader *reader, const config_setting_t *group,
                   const struct market *market, int i);

/* Notes each asset whose trades ask more of its model than paths can give: trades that expire after
 * the square of its spot has ceased to have a finite mean, steps too coarse for full truncation,
 * jumps that make the mean of what is hardly ever drawn. What has been read is without complaint,
 * and `group` is that of the market. */
void note_models(struct reader *reader, const config_setting_t *group, double max_step,
                 const struct market *market, int n_trades, const struct trade *trades);

#endif
