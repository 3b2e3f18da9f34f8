/* Opening what is shown, and the bodies of items. */
#include "items.h"

#include "csv.h"
#include "idmap.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    HANDY = 320, /* longest side of a picture unless the whole one is asked for */
    LARGEST_FILE = 1 << 25,
    PROFILE_VALUES = 256,  /* more are averaged */
    PROFILE_SAMPLE = 2000, /* items from which the scale of profiles is taken */
};

static const char *const endings[] = {"", ".png", ".jpg", ".jpeg", ".webp"};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

struct item_set {
    scdc_data *data;
    scdc_data_info info;
    item_kind kind;
    idmap names;        /* to numbers + 1, where items have names */
    char *folder;       /* ITEM_FILE */
    char **files;       /* ITEM_FILE, one per item, where items have no names; else NULL */
    char **texts;       /* ITEM_TEXT, one per item */
    csv_table table;    /* holds the texts */
    double *mean, *dev; /* ITEM_PROFILE, per value */
};

/* ---- names ---------------------------------------------------------------------------------- */

const char *items_name(const item_set *it, size_t item)
{
    static _Thread_local char number[24];
    const char *name = scdc_data_name(it->data, item);
    if (name) return name;
    snprintf(number, sizeof number, "%zu", item);
    return number;
}

bool items_find(size_t *out, const item_set *it, const char *name)
{
    if (it->info.named) {
        uint32_t at = idmap_get(&it->names, id128_of_text(name, ""));
        if (!at || strcmp(scdc_data_name(it->data, at - 1), name) != 0) return false;
        *out = at - 1;
        return true;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(name, &end, 10);
    if (*name < '0' || *name > '9' || *end || errno || value >= it->info.rows) return false;
    *out = (size_t)value;
    return true;
}

/* ---- opening -------------------------------------------------------------------------------- */

static int text_column(int *text, int *id, const csv_table *t, const char *path)
{
    static const char *const ids[] = {"id", "item", "name", "file"};
    *text = csv_column(t, "text");
    if (*text == CSV_NONE)
        return server_fail(SCDC_ERR_INPUT, "%s: has no column called text", path);
    *id = CSV_NONE;
    for (size_t i = 0; i < 4 && *id == CSV_NONE; i++) *id = csv_column(t, ids[i]);
    return SCDC_OK;
}

static int open_texts(item_set *it, const char *path)
{
    int text = CSV_NONE, id = CSV_NONE;
    SERVER_TRY(csv_open(&it->table, path));
    SERVER_TRY(text_column(&text, &id, &it->table, path));
    size_t rows = csv_count(&it->table);
    if (id == CSV_NONE && rows != it->info.rows)
        return server_fail(SCDC_ERR_INPUT,
                           "%s: %zu texts for %zu items, and no column id to tell"
                           " which is which",
                           path, rows, it->info.rows);
    it->texts = need_zeroed(it->info.rows, sizeof *it->texts);
    for (size_t r = 0; r < rows; r++) {
        size_t item = r; /* texts of anything else are left out */
        if (id == CSV_NONE || items_find(&item, it, csv_cell(&it->table, r, id)))
            it->texts[item] = it->table.cells[(r + 1) * it->table.columns + (size_t)text];
    }
    for (size_t i = 0; i < it->info.rows; i++) {
        if (!it->texts[i])
            return server_fail(SCDC_ERR_INPUT, "%s: no text for item %s", path, items_name(it, i));
    }
    it->kind = ITEM_TEXT;
    return SCDC_OK;
}

static int is_picture(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    if (entry->d_name[0] == '.' || !ending) return 0;
    for (size_t i = 1; i < ENDINGS; i++) {
        if (strcasecmp(ending, endings[i]) == 0) return 1;
    }
    return 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Items without names: the files in the order of theirs. */
static int list_files(item_set *it, const char *path)
{
    struct dirent **found;
    int count = scandir(path, &found, is_picture, by_bytes);
    if (count < 0) return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    bool fits = (size_t)count == it->info.rows;
    if (fits) it->files = need_zeroed(it->info.rows, sizeof *it->files);
    for (int i = 0; i < count; i++) {
        if (fits) it->files[i] = text_copy(found[i]->d_name);
        free(found[i]);
    }
    free(found);
    if (fits) return SCDC_OK;
    return server_fail(SCDC_ERR_INPUT,
                       "%s: holds %d pictures for %zu items, which have no names by which their "
                       "files could be found",
                       path, count, it->info.rows);
}

static int open_folder(item_set *it, const char *path)
{
    if (!it->info.named) SERVER_TRY(list_files(it, path));
    it->folder = text_copy(path);
    it->kind = ITEM_FILE;
    char *bytes;
    size_t size;
    const char *type;
    SERVER_TRY(items_body(&bytes, &size, &type, it, 0, true));
    free(bytes);
    return SCDC_OK;
}

static int measure(item_set *it)
{
    size_t n = it->info.rows < PROFILE_SAMPLE ? it->info.rows : PROFILE_SAMPLE, d = it->info.cols;
    float *row = need_resize(NULL, d, sizeof *row);
    it->mean = need_zeroed(d, sizeof *it->mean);
    it->dev = need_zeroed(d, sizeof *it->dev);
    int status = SCDC_OK;
    for (size_t i = 0; i < n && status == SCDC_OK; i++) {
        status = scdc_data_rows(row, it->data, i * (it->info.rows / n), 1);
        for (size_t j = 0; j < d && status == SCDC_OK; j++) {
            it->mean[j] += row[j];
            it->dev[j] += (double)row[j] * row[j];
        }
    }
    free(row);
    if (status != SCDC_OK) return server_fail_lib(status);
    for (size_t j = 0; j < d; j++) {
        it->mean[j] /= (double)n;
        double variance = it->dev[j] / (double)n - it->mean[j] * it->mean[j];
        it->dev[j] = variance > 0 ? sqrt(variance) : 0;
    }
    return SCDC_OK;
}

static void index_names(item_set *it)
{
    for (size_t i = 0; it->info.named && i < it->info.rows; i++)
        idmap_add(&it->names, id128_of_text(scdc_data_name(it->data, i), ""), (uint32_t)i + 1);
}

static int open_shown(item_set *it, const char *show)
{
    struct stat st;
    if (show) {
        if (stat(show, &st) != 0)
            return server_fail(SCDC_ERR_INPUT, "%s: %s", show, strerror(errno));
        return S_ISDIR(st.st_mode) ? open_folder(it, show) : open_texts(it, show);
    }
    const scdc_data_info *i = &it->info;
    if ((i->height > 1 || i->width > 1) && (i->channels == 1 || i->channels == 3)) {
        it->kind = ITEM_PICTURE;
        return SCDC_OK;
    }
    it->kind = ITEM_PROFILE;
    return measure(it);
}

int items_open(item_set **out, const char *data, const char *show)
{
    item_set *it = need_zeroed(1, sizeof *it);
    int status = scdc_data_open(&it->data, data);
    if (status == SCDC_OK) status = scdc_data_get_info(&it->info, it->data);
    if (status != SCDC_OK) {
        status = server_fail_lib(status);
    } else if (it->info.rows < 2 || it->info.rows > UINT32_MAX / 2) {
        status = server_fail(SCDC_ERR_INPUT, "%s: holds %zu items, two or more are needed", data,
                             it->info.rows);
    } else {
        index_names(it);
        status = open_shown(it, show);
    }
    if (status != SCDC_OK) {
        items_free(it);
        return status;
    }
    *out = it;
    return SCDC_OK;
}

void items_free(item_set *it)
{
    if (!it) return;
    scdc_data_free(it->data);
    csv_free(&it->table);
    idmap_free(&it->names);
    for (size_t i = 0; it->files && i < it->info.rows; i++) free(it->files[i]);
    free(it->files);
    free(it->folder);
    free(it->texts);
    free(it->mean);
    free(it->dev);
    free(it);
}

size_t items_count(const item_set *it)
{
    return it->info.rows;
}

item_kind items_kind(const item_set *it)
{
    return it->kind;
}

uint32_t items_checksum(const item_set *it)
{
    return scdc_data_checksum(it->data);
}

const scdc_data *items_data(const item_set *it)
{
    return it->data;
}

void items_size(size_t *width, size_t *height, const item_set *it)
{
    *width = it->kind == ITEM_PICTURE ? it->info.width : 0;
    *height = it->kind == ITEM_PICTURE ? it->info.height : 0;
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* Mean of the values that fall on pixel (x, y) of a picture shrunk by `step`. */
static double shrunk(const float *plane, const scdc_data_info *i, size_t x, size_t y, size_t step)
{
    double sum = 0;
    size_t count = 0;
    for (size_t v = y * step; v < (y + 1) * step && v < i->height; v++) {
        for (size_t u = x * step; u < (x + 1) * step && u < i->width; u++, count++)
            sum += plane[v * i->width + u];
    }
    return sum / (double)count;
}

static unsigned char level(const scdc_data_info *i, double value)
{
    double low = i->min, high = i->max;
    if (i->dtype == SCDC_U8) {
        low = 0;
        high = 255;
    } else if (low >= 0 && high <= 1) {
        low = 0;
        high = 1;
    }
    double scaled = high > low ? (value - low) / (high - low) * 255 : 0;
    return (unsigned char)(scaled < 0 ? 0 : scaled > 255 ? 255 : scaled + .5);
}

static int encode_png(char **out, size_t *size, const unsigned char *pixels, size_t width,
                      size_t height, size_t channels)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY,
                       .flags = PNG_IMAGE_FLAG_FAST};
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    char *buffer = need_resize(NULL, bytes, 1);
    if (!png_image_write_to_memory(&image, buffer, &bytes, 0, pixels, 0, NULL)) {
        free(buffer);
        return server_fail(SCDC_ERR_INTERNAL, "a picture cannot be made: %s", image.message);
    }
    *out = need_resize(buffer, bytes, 1);
    *size = bytes;
    return SCDC_OK;
}

static int picture_body(char **out, size_t *size, const item_set *it, size_t item, bool large)
{
    const scdc_data_info *i = &it->info;
    float *values = need_resize(NULL, i->cols, sizeof *values);
    int status = scdc_data_rows(values, it->data, item, 1);
    if (status != SCDC_OK) {
        free(values);
        return server_fail_lib(status);
    }
    size_t longest = i->width > i->height ? i->width : i->height;
    size_t step = large ? 1 : (longest + HANDY - 1) / HANDY;
    size_t width = (i->width + step - 1) / step, height = (i->height + step - 1) / step;
    unsigned char *pixels = need_resize(NULL, width * height, i->channels), *p = pixels;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            for (size_t c = 0; c < i->channels; c++)
                *p++ = level(i, shrunk(values + c * i->height * i->width, i, x, y, step));
        }
    }
    free(values);
    status = encode_png(out, size, pixels, width, height, i->channels);
    free(pixels);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char *type_of(const unsigned char *bytes, size_t size)
{
    if (size > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0) return "image/png";
    if (size > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) return "image/jpeg";
    if (size > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

static FILE *open_named(const item_set *it, const char *name)
{
    if (strchr(name, '/') || name[0] == '.') return NULL; /* nothing outside the folder */
    FILE *f = NULL;
    for (size_t i = 0; i < ENDINGS && !f; i++) {
        char *path = text_format("%s/%s%s", it->folder, name, endings[i]);
        f = fopen(path, "rb");
        free(path);
    }
    return f;
}

static int file_body(char **out, size_t *size, const char **type, const item_set *it, size_t item)
{
    const char *name = items_name(it, item);
    FILE *f = open_named(it, it->files ? it->files[item] : name);
    if (!f) return server_fail(SCDC_ERR_INPUT, "%s: no picture for item %s", it->folder, name);
    struct stat st;
    bool good = fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                st.st_size <= LARGEST_FILE;
    size_t wanted = good ? (size_t)st.st_size : 0;
    char *bytes = need_resize(NULL, wanted, 1);
    good = good && fread(bytes, 1, wanted, f) == wanted;
    fclose(f);
    *type = good ? type_of((unsigned char *)bytes, wanted) : NULL;
    if (!*type) {
        free(bytes);
        return server_fail(SCDC_ERR_INPUT, "%s: the file of item %s is no PNG, JPEG or WebP",
                           it->folder, name);
    }
    *out = bytes;
    *size = wanted;
    return SCDC_OK;
}

/* ---- texts and profiles --------------------------------------------------------------------- */

static int json_body(char **out, size_t *size, json_t *value)
{
    *out = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(4));
    json_decref(value);
    if (!*out) return server_fail(SCDC_ERR_INPUT, "an item's text is no UTF-8");
    *size = strlen(*out);
    return SCDC_OK;
}

/* Values in standard deviations from the mean of their column, a few hundred at most. */
static int profile_body(char **out, size_t *size, const item_set *it, size_t item)
{
    size_t d = it->info.cols, shown = d < PROFILE_VALUES ? d : PROFILE_VALUES;
    float *values = need_resize(NULL, d, sizeof *values);
    int status = scdc_data_rows(values, it->data, item, 1);
    json_t *list = json_array();
    for (size_t s = 0; s < shown && status == SCDC_OK; s++) {
        double sum = 0;
        size_t from = s * d / shown, to = (s + 1) * d / shown;
        for (size_t j = from; j < to; j++)
            sum += it->dev[j] > 0 ? (values[j] - it->mean[j]) / it->dev[j] : 0;
        json_array_append_new(list, json_real(sum / (double)(to - from)));
    }
    free(values);
    if (status != SCDC_OK) {
        json_decref(list);
        return server_fail_lib(status);
    }
    return json_body(out, size, json_pack("{s:o}", "values", list));
}

int items_body(char **out, size_t *size, const char **type, const item_set *it, size_t item,
               bool large)
{
    if (item >= it->info.rows) return server_fail(SCDC_ERR_ARGUMENT, "there is no item %zu", item);
    *type = it->kind == ITEM_PICTURE ? "image/png" : "application/json";
    switch (it->kind) {
    case ITEM_PICTURE: return picture_body(out, size, it, item, large);
    case ITEM_FILE: return file_body(out, size, type, it, item);
    case ITEM_TEXT: {
        json_t *text = json_string(it->texts[item]);
        if (!text) text = json_string("(this text is no UTF-8)");
        return json_body(out, size, json_pack("{s:o}", "text", text));
    }
    case ITEM_PROFILE: return profile_body(out, size, it, item);
    }
    return server_fail(SCDC_ERR_INTERNAL, "unknown kind of item");
}
