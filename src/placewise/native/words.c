/* An index of words: which of an array of strings equals a text. `ops/lookup/tables.py` has the
 * same with a dictionary, whose slots and hashes take three times as long to reach.
 *
 * The index is an array of pairs, a power of two of them: a hash, and the size of the word above one
 * more than its place. A word is in the first pair from its hash on that is free (0) or holds it.
 */
#include "arrays.h"
#include "hash.h"

#define BLOCK 32
#define NO_STRING (-2)
/* A pair's second number: the place of its word in the lower bits, the word's size in the others. */
#define PLACE_BITS 40
#define PLACES (((uint64_t)1 << PLACE_BITS) - 1)
#define MOST_SHOWN (((Py_ssize_t)1 << 24) - 1)
/* Words of at most so many bytes are told apart without a look at them. */
#define SHORT 8

/* The number of pairs of an index that can be searched; 0 if it is none. */
static size_t
pairs_of(const Array *index)
{
    size_t pairs = (size_t)index->count / 2;
    return index->count % 2 == 0 && (pairs & (pairs - 1)) == 0 ? pairs : 0;
}

/* A text's hash. Up to eight bytes it is one to one, so that it and the size tell the text. */
static inline uint64_t
hash_of(const char *text, Py_ssize_t size)
{
    if (size > SHORT)
        return fingerprint64((const unsigned char *)text, size);
    uint64_t word = size > 0 ? short_word(text, size) : 0;
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCDu;
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53u;
    return word ^ word >> 33;
}

static inline uint64_t
entry_of(Py_ssize_t place, Py_ssize_t size)
{
    uint64_t shown = size < MOST_SHOWN ? size : MOST_SHOWN;
    return shown << PLACE_BITS | ((uint64_t)place + 1);
}

/* The place of a text among the words, or -1; `slot` is where it is or would be. NO_STRING, with an
 * exception, if a word is none. */
static inline Py_ssize_t
place_of(const Array *words, const uint64_t *index, size_t pairs, const char *text, Py_ssize_t size,
         uint64_t hash, size_t *slot)
{
    const uint64_t shown = entry_of(-1, size);
    for (size_t tried = 0, at = hash & (pairs - 1); tried < pairs; tried++, at = (at + 1) & (pairs - 1)) {
        const uint64_t entry = index[2 * at + 1];
        *slot = at;
        if (entry == 0)
            return -1;
        const uint64_t place = entry & PLACES;
        if (index[2 * at] != hash || (entry ^ shown) > PLACES || place > (uint64_t)words->count)
            continue;
        if (size <= SHORT)
            return place - 1;
        Py_ssize_t length;
        const char *word = string_at(words, place - 1, &length);
        if (word == NULL)
            return NO_STRING;
        if (length == size && memcmp(word, text, size) == 0)
            return place - 1;
    }
    *slot = pairs;
    return -1;
}

static PyObject *
index_words(PyObject *self, PyObject *args)
{
    PyObject *words, *results;
    if (!PyArg_ParseTuple(args, "OO", &words, &results))
        return NULL;
    Array in, out;
    if (take_objects(words, 0, &in) < 0)
        return NULL;
    if (take_array(results, 8, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    size_t pairs = pairs_of(&out);
    int fits = pairs > (size_t)in.count && (uint64_t)in.count < PLACES;
    uint64_t *index = out.items;
    for (Py_ssize_t i = 0; fits && i < in.count; i++) {
        Py_ssize_t size;
        size_t slot;
        const char *text = string_at(&in, i, &size);
        if (text == NULL)
            break;
        uint64_t hash = hash_of(text, size);
        if (place_of(&in, index, pairs, text, size, hash, &slot) >= 0)
            continue;
        if (PyErr_Occurred() || slot == pairs)
            break;
        index[2 * slot] = hash;
        index[2 * slot + 1] = entry_of(i, size);
    }
    Array both[2] = {in, out};
    if (PyErr_Occurred()) {
        release_arrays(both, 2);
        return NULL;
    }
    return finished(both, 2, fits);
}

/* Put the value of each text's word into an array; where there is no such word, it stays. */
static PyObject *
find_words(PyObject *self, PyObject *args)
{
    PyObject *texts, *words, *pairs_object, *numbers, *results;
    if (!PyArg_ParseTuple(args, "OOOOO", &texts, &words, &pairs_object, &numbers, &results))
        return NULL;
    Array a[5] = {0};
    if (take_objects(texts, 0, &a[0]) < 0 || take_objects(words, 0, &a[1]) < 0 ||
        take_array(pairs_object, 8, 0, &a[2]) < 0 || take_array(numbers, 8, 0, &a[3]) < 0 ||
        take_array(results, 8, 1, &a[4]) < 0) {
        release_arrays(a, 5);
        return NULL;
    }
    size_t pairs = pairs_of(&a[2]), slot;
    const uint64_t *index = a[2].items;
    int fits = pairs > 0 && a[3].count == a[1].count && a[4].count == a[0].count;
    const int64_t *number = a[3].items;
    int64_t *result = a[4].items;
    int is_wrong = 0;
    /* By blocks: memory that all hashes of one lead to is fetched while the others are computed. */
    for (Py_ssize_t start = 0; fits && start < a[0].count && !is_wrong; start += BLOCK) {
        Py_ssize_t count = a[0].count - start < BLOCK ? a[0].count - start : BLOCK;
        const char *text[BLOCK];
        Py_ssize_t size[BLOCK];
        uint64_t hash[BLOCK];
        for (Py_ssize_t i = 0; i < count && !is_wrong; i++) {
            text[i] = string_at(&a[0], start + i, &size[i]);
            is_wrong = text[i] == NULL;
            hash[i] = is_wrong ? 0 : hash_of(text[i], size[i]);
            CALL_FOR(&index[2 * (hash[i] & (pairs - 1))]);
        }
        for (Py_ssize_t i = 0; i < count && !is_wrong; i++) {
            uint64_t place = index[2 * (hash[i] & (pairs - 1)) + 1] & PLACES;
            if (size[i] > SHORT && place - 1 < (uint64_t)a[1].count)
                CALL_FOR(((PyObject **)a[1].items)[place - 1]);
        }
        for (Py_ssize_t i = 0; i < count && !is_wrong; i++) {
            Py_ssize_t place = place_of(&a[1], index, pairs, text[i], size[i], hash[i], &slot);
            if (place >= 0)
                result[start + i] = number[place];
            else
                is_wrong = place == NO_STRING;
        }
    }
    if (PyErr_Occurred()) {
        release_arrays(a, 5);
        return NULL;
    }
    return finished(a, 5, fits);
}

PyMethodDef word_methods[] = {
    {"index_words", index_words, METH_VARARGS, "Fill an array of zeros with an index of words."},
    {"find_words", find_words, METH_VARARGS, "Fill an array with the numbers of words."},
    {NULL, NULL, 0, NULL},
};
