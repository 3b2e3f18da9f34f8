/* The numbers that were chosen by measuring, not derived: what each does and what it was measured
 * on. docs/constants.md shows what changing one does (bench/ablations.py). In a build with
 * -DSCDC_ABLATIONS a variable of the environment, SCDC_<NAME>, takes the place of the value. */
#ifndef SCDC_MODEL_TUNING_H
#define SCDC_MODEL_TUNING_H

#ifdef SCDC_ABLATIONS
double tuned(const char *name, double usual);
#define TUNED(name, usual) tuned("SCDC_" #name, usual)
#else
#define TUNED(name, usual) (usual)
#endif

/* ---- components ---- */

/* A component is alive when it holds at least this share of the items. */
#define LIVE_SHARE TUNED(LIVE_SHARE, 0.002)

/* ---- clusters as groups of components (clusters/cluster_level.c) ---- */

/* The most nats that missing links speak against two groups of components being one once answers
 * are heard: a kind may well live on several islands, and the links of many pairs of components are
 * no independent witnesses. */
#define LINKS_DOUBT TUNED(LINKS_DOUBT, 6.0)
/* Nats between two components below which all answers together say nothing about them. */
#define LEAST_WORD TUNED(LEAST_WORD, 2.0)
/* The links' strength is 2^power, learned from the answers. Usual is 1 %, and a power so far from
 * it is one standard deviation less likely. */
#define STRENGTH_USUAL TUNED(STRENGTH_USUAL, -6.6)
#define STRENGTH_SPREAD TUNED(STRENGTH_SPREAD, 3.0)
/* Minibatches between two groupings inside an epoch. */
#define REGROUP_EVERY TUNED(REGROUP_EVERY, 40)

/* ---- classes learned from answers (classes/start_classes.c) ---- */

/* Classes must explain this much more of unseen answers than components do, beyond the workers'
 * habits, and so many nats: components get better in training and know what no answer is about. */
#define CLEARLY_MORE TUNED(CLEARLY_MORE, 1.5)
#define LEAST_GAIN TUNED(LEAST_GAIN, 3.0)
/* What the classifier's word counts against the mixture, which knows no doubt: its nats times this.
 */
#define VERDICT_WEIGHT TUNED(VERDICT_WEIGHT, 20.0)

/* ---- a network taught at the end (pupil/) ---- */

/* Labels less likely teach nothing. */
#define PUPIL_SURE TUNED(PUPIL_SURE, 0.9)
/* Epochs taught by the fit's labels before its own are good enough to go on from. */
#define PUPIL_BY_FIT TUNED(PUPIL_BY_FIT, 2)
/* Items seen in its epochs, of which there are 6 to 30: on 10,000 images of MNIST 15 epochs gave
 * held-out .9748, 6 epochs .9669 (docs/quality.md). */
#define PUPIL_ITEMS TUNED(PUPIL_ITEMS, 150000)
/* Adam's first step; falls as half a cosine. */
#define PUPIL_RATE TUNED(PUPIL_RATE, 1e-3)

/* ---- how long a fit takes (train/stop.c, presets.c) ---- */

/* An epoch that moves a smaller share of the items leaves the clusters as they were. */
#define STEADY_SHARE TUNED(STEADY_SHARE, 0.02)
/* Steady epochs that one which is not takes back. Starting over would be at the mercy of a lone
 * jump: where items are few and patience is long, the last digits decide whether there is one. */
#define SETBACK TUNED(SETBACK, 10)
/* Items seen in the warm-up, in epochs and in the epochs that patience lasts: few items get more
 * epochs of their few steps. Each within bounds that presets.c gives. */
#define WARM_UP_ITEMS TUNED(WARM_UP_ITEMS, 400000)
#define EPOCHS_ITEMS TUNED(EPOCHS_ITEMS, 2000000)
/* The amortised model decodes each item once for every component it may belong to: an epoch takes
 * about twice as long. */
#define EPOCHS_ITEMS_AMORTIZED TUNED(EPOCHS_ITEMS_AMORTIZED, 800000)
#define PATIENCE_ITEMS TUNED(PATIENCE_ITEMS, 30000)
/* The most that an annotated item counts more than another one for the networks. */
#define ANNOTATED_MOST TUNED(ANNOTATED_MOST, 10.0)

#endif
