/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/perfetto.h"

#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "db/database.h"
#include "exporters/timeline/perfetto_put.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields and values, as Perfetto publishes them. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_CLOCK_ID = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60
};
enum { DEFAULTS_TRACK_EVENT = 11 }; /* of TracePacketDefaults, beside PACKET_CLOCK_ID */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_TRACE_ID = 6, CLOCK_SEQUENCE_ID = 64 };
enum {
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_COUNTER_VALUE = 30,
    EVENT_DOUBLE_COUNTER_VALUE = 44
};
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { LEGACY_PHASE = 2, LEGACY_UNSCOPED_ID = 6, LEGACY_BIND_TO_ENCLOSING = 12 };
enum {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_JSON = 9,
    ANNOTATION_TEXT_IID = 17
};
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_PARENT_UUID = 5,
    DESCRIPTOR_COUNTER = 8,
    DESCRIPTOR_CHILD_ORDERING = 11,
    DESCRIPTOR_RANK = 12,
    DESCRIPTOR_DESCRIPTION = 14,
    DESCRIPTOR_SIBLING_MERGE = 15,
    DESCRIPTOR_PROCESS_ORDERING = 19
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, PROCESS_LABELS = 8 };
enum { COUNTER_UNIT_NAME = 6 };
enum { ORDERING_EXPLICIT = 3, PROCESS_ORDERING_EXPLICIT = 1, MERGE_NONE = 2 };

/* Uses of a text: bits of those that a sequence has interned, and the fields of InternedData. */
enum text_use { TEXT_CATEGORY, TEXT_EVENT, TEXT_KEY, TEXT_VALUE };
/* Where each stands: in InternedData, and as its number. */
static const struct {
    unsigned interned, number;
} text_fields[] = {{1, EVENT_CATEGORY_IID}, {2, EVENT_NAME_IID}, {3, ANNOTATION_NAME_IID}, {29, ANNOTATION_TEXT_IID}};

#define TEXTS_MAX 32768
#define TEXTS_BYTES_MAX ((size_t)8 * 1024 * 1024)
#define STATES_BYTES_MAX ((size_t)16 * 1024 * 1024) /* of all that sequences know */
#define OWN_PID_FROM 1000000000                     /* of processes whose numbers Perfetto has no room for */
#define EVENT_ROOM ((size_t)16 * 1024)              /* bytes of an event, whose texts are interned */
#define HEAD_MAX 64                                 /* bytes of a packet before its messages */
#define TRACK_BYTES 16                              /* of what all packets of a track have in common */
#define ROOM_BESIDE 128                             /* bytes beside a text that is interned */
#define RECENT 64                                   /* a power of two: tracks that are found without the map */
#define STAYING 4096                                /* a power of two: texts that are known by their address */

/* ---- state ---- */

/* Texts of the file, each with one number, from 1 on, for all that it is used for. */
struct texts {
    struct intern interned;
    size_t used; /* bytes */
    struct {
        const char *prefix, *text;
        size_t length;
        uint32_t number;
    } staying[STAYING]; /* known by their addresses */
};

struct process {
    int64_t pid; /* as in the events */
    uint64_t uuid;
    int64_t number; /* as in the trace */
    int64_t rank;
    char *name, *label;
    bool written;
};

/* A sequence and its track. */
struct track {
    uint64_t uuid;
    uint64_t parent; /* the uuid of its process */
    int64_t rank;
    char *name;
    bool counter;                                       /* it is described already */
    uint32_t generation;                                /* of what it has interned; 0: it has not begun */
    unsigned char begin[TRACK_BYTES], end[TRACK_BYTES]; /* behind the time: up to an event's length, and a whole end */
    uint8_t begin_size, end_size;
    int64_t now_ns;   /* the time of its last packet */
    int64_t begin_ns; /* of its last slice */
    unsigned char *known;
    size_t known_size;
    struct ARRAY_OF(int64_t) ends; /* of the slices around now, the innermost last */
};

struct track_item {
    struct {
        int64_t pid, tid;
    } key;
    struct track *track;
};
struct counter_item {
    struct {
        int64_t pid;
        uint64_t hash; /* of the names of event and argument */
    } key;
    struct track *track;
};
struct process_item {
    int64_t pid;
    struct process *process;
};

struct perfetto {
    struct outfile *out;
    struct map tracks, counters, processes;
    struct track_item recent[RECENT];
    struct texts texts;
    uint32_t generation;
    size_t states; /* bytes of what all sequences know */
    uint64_t next_uuid;
    struct {
        struct track **items;
        size_t count, capacity;
    } all_tracks;
    struct {
        struct process **items;
        size_t count, capacity;
    } all_processes;               /* in the order in which they were first met */
    char *event, *interned, *name; /* the messages of a packet; a name behind its prefix */
    char *interned_end;
    size_t event_room, interned_room, name_room;
    struct {
        char *start, *event;
        int64_t time_ns;
    } packet; /* of an event, that is being put */
};

/* A text: the inside of a string of JSON. */
struct span {
    const char *text;
    size_t length;
};

static int no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
}

/* ---- texts ---- */

/* 0: err is set. */
static uint32_t text_number(struct texts *texts, struct span text, struct err *err)
{
    const size_t before = texts->interned.count;
    uint32_t number;
    if (intern_add(&texts->interned, text.text, text.length, &number, err) < 0)
        return 0;
    texts->used += texts->interned.count > before ? text.length : 0;
    return number + 1;
}

/* Makes room for a text that is to be interned, beside what waits there. */
static int make_interned_room(struct perfetto *writer, size_t length, struct err *err)
{
    const size_t used = (size_t)(writer->interned_end - writer->interned), extra = length + ROOM_BESIDE;
    if (extra <= writer->interned_room - used)
        return 0;
    if (array_grow(&writer->interned, &writer->interned_room, used, extra, 1, err) < 0)
        return err_status(err);
    writer->interned_end = writer->interned + used;
    return 0;
}

/* Makes room for the messages of a packet with texts of so many bytes. */
static int make_room(struct perfetto *writer, size_t texts, struct err *err)
{
    /* each argument takes less than what it was read of but for tags and lengths */
    const size_t wanted = 4 * texts + (size_t)64 * 1024;
    if (wanted > writer->event_room && array_grow(&writer->event, &writer->event_room, 0, wanted, 1, err) < 0)
        return err_status(err);
    return make_interned_room(writer, wanted, err);
}

/* Whether it keeps as much as it may. */
static bool has_enough(const struct perfetto *writer)
{
    return writer->texts.interned.count >= TEXTS_MAX || writer->texts.used > TEXTS_BYTES_MAX ||
           writer->states > STATES_BYTES_MAX;
}

/* Lets all sequences begin anew. */
static void forget(struct perfetto *writer)
{
    writer->interned_end = writer->interned;
    intern_release(&writer->texts.interned);
    memset(&writer->texts, 0, sizeof writer->texts);
    for (size_t i = 0; i < writer->all_tracks.count; i++) {
        struct track *track = writer->all_tracks.items[i];
        free(track->known);
        track->known = NULL;
        track->known_size = 0;
    }
    writer->states = 0;
    writer->generation++;
}

/* Appends a text of JSON as a field. */
static char *put_text(char *p, unsigned field, struct span text)
{
    if (text.length == 0 || memchr(text.text, '\\', text.length) == NULL)
        return field_put_bytes(p, field, text.text, text.length);
    char *plain = p + 2 * VARINT_MAX; /* moved to its place when its length is known */
    size_t length = event_text_characters(plain, text.text, text.length);
    p = varint_put(field_put_tag(p, field, WIRE_BYTES), length);
    memmove(p, plain, length);
    return p + length;
}

static int know(struct perfetto *writer, struct track *track, uint32_t number, struct err *err)
{
    size_t size = (size_t)number + 1 < 64 ? 64 : ((size_t)number + 1) * 2;
    unsigned char *known = realloc(track->known, size);
    if (known == NULL)
        return no_memory(err);
    memset(known + track->known_size, 0, size - track->known_size);
    writer->states += size - track->known_size;
    track->known = known;
    track->known_size = size;
    return 0;
}

/* Puts what a sequence does not know yet of a text beside the event. */
static int tell(struct perfetto *writer, struct track *track, enum text_use use, uint32_t number, struct err *err)
{
    const struct interned *item = &writer->texts.interned.items[number - 1];
    const struct span text = {item->bytes, item->length};
    const unsigned char bit = (unsigned char)(1u << use);
    if ((number >= track->known_size && know(writer, track, number, err) < 0) ||
        make_interned_room(writer, text.length, err) < 0)
        return err_status(err);
    if ((track->known[number] & bit) != 0)
        return 0;
    track->known[number] |= bit;
    char *message = writer->interned_end + 2 * VARINT_MAX, *m = field_put(message, INTERNED_IID, number);
    size_t length = (size_t)(put_text(m, INTERNED_TEXT, text) - message);
    char *p = varint_put(field_put_tag(writer->interned_end, text_fields[use].interned, WIRE_BYTES), length);
    memmove(p, message, length);
    writer->interned_end = p + length;
    return 0;
}

/* Puts the number of a text; 0: err is set. */
static inline __attribute__((always_inline)) char *put_numbered(char *p, struct perfetto *writer, struct track *track,
                                                                enum text_use use, uint32_t number, struct err *err)
{
    const bool known = number < track->known_size && (track->known[number] & 1u << use) != 0;
    if (!known && (number == 0 || tell(writer, track, use, number, err) < 0))
        return p;
    return field_put(p, text_fields[use].number, number);
}

/* Finds the number of a text that stays, and keeps it at its place. */
static uint32_t learn_staying(struct perfetto *writer, struct span prefix, struct span text, size_t place,
                              struct err *err)
{
    struct texts *texts = &writer->texts;
    struct span whole = text;
    if (prefix.length > 0) {
        const size_t length = prefix.length + text.length;
        if (length > writer->name_room && array_grow(&writer->name, &writer->name_room, 0, length, 1, err) < 0)
            return 0;
        memcpy(writer->name, prefix.text, prefix.length);
        memcpy(writer->name + prefix.length, text.text, text.length);
        whole = (struct span){writer->name, length};
    }
    const uint32_t number = text_number(texts, whole, err);
    if (number != 0) {
        texts->staying[place].prefix = prefix.text;
        texts->staying[place].text = text.text;
        texts->staying[place].length = text.length;
        texts->staying[place].number = number;
    }
    return number;
}

/* A text that stays; prefix may be empty. */
static inline __attribute__((always_inline)) uint32_t staying_number(struct perfetto *writer, struct span prefix,
                                                                     struct span text, struct err *err)
{
    const struct texts *texts = &writer->texts;
    const uint64_t hash = ((uint64_t)(uintptr_t)text.text * 0x9e3779b97f4a7c15u) ^ (uintptr_t)prefix.text;
    const size_t place = (hash ^ hash >> 32) % STAYING;
    if (texts->staying[place].text == text.text && texts->staying[place].prefix == prefix.text &&
        texts->staying[place].length == text.length)
        return texts->staying[place].number;
    return learn_staying(writer, prefix, text, place, err);
}

static inline char *put_name(char *p, struct perfetto *writer, struct track *track, const struct event_head *event,
                             struct err *err)
{
    const struct span name = {event->name, event->name_length}, prefix = {event->prefix, event->prefix_length};
    const uint32_t number = (event->flags & EVENT_COPY_NAME) == 0 ? staying_number(writer, prefix, name, err)
                                                                  : text_number(&writer->texts, name, err);
    return put_numbered(p, writer, track, TEXT_EVENT, number, err);
}

/* Puts a category, or key or text of an argument. stays: one address is one text. */
static inline __attribute__((always_inline)) char *put_interned(char *p, struct perfetto *writer, struct track *track,
                                                                enum text_use use, bool stays, struct span text,
                                                                struct err *err)
{
    const uint32_t number =
        stays ? staying_number(writer, (struct span){NULL, 0}, text, err) : text_number(&writer->texts, text, err);
    return put_numbered(p, writer, track, use, number, err);
}

static void perfetto_forget_texts(void *opaque)
{
    struct perfetto *writer = opaque;
    memset(writer->texts.staying, 0, sizeof writer->texts.staying);
}

/* ---- packets ---- */

/* Writes a packet of this head and a message. */
static void write_packet(struct perfetto *writer, const char *head, size_t head_length, unsigned field,
                         const char *message, size_t length)
{
    char tail[2 * VARINT_MAX], *t = varint_put(field_put_tag(tail, field, WIRE_BYTES), length);
    char start[2 * HEAD_MAX], *p = field_put_tag(start, TRACE_PACKET, WIRE_BYTES);
    p = varint_put(p, head_length + (size_t)(t - tail) + length);
    memcpy(p, head, head_length);
    memcpy(p + head_length, tail, (size_t)(t - tail));
    outfile_write(writer->out, start, (size_t)(p - start) + head_length + (size_t)(t - tail));
    outfile_write(writer->out, message, length);
}

/* Puts the time of a packet of a track: since the packet before, or as it is when it is earlier than that. */
static inline char *put_time(char *p, const struct track *track, int64_t time_ns)
{
    if (time_ns >= track->now_ns)
        return field_put(p, PACKET_TIMESTAMP, (uint64_t)time_ns - (uint64_t)track->now_ns);
    return field_put(field_put(p, PACKET_TIMESTAMP, (uint64_t)time_ns), PACKET_CLOCK_ID, CLOCK_TRACE_ID);
}

/* Begins a packet with an event, for which there are EVENT_ROOM bytes; returns where it is put. Both lengths have a
 * byte. */
static inline char *begin_packet(struct perfetto *writer, const struct track *track, int64_t time_ns)
{
    char *p = outfile_reserve(writer->out, EVENT_ROOM);
    writer->packet.start = p;
    writer->packet.time_ns = time_ns;
    p = put_time(field_put_tag(p, TRACE_PACKET, WIRE_BYTES) + 1, track, time_ns);
    memcpy(p, track->begin, TRACK_BYTES);
    return writer->packet.event = p + track->begin_size + 1;
}

/* Writes the length of what stands between p and end into the byte before p, and makes room where it has more bytes;
 * returns the end. outside: of what follows it. */
static inline char *put_length(char *p, char *end, size_t outside)
{
    const size_t length = (size_t)(end - p) + outside, more = varint_size(length) - 1;
    if (more > 0)
        memmove(p + more, p, (size_t)(end - p));
    varint_put(p - 1, length);
    return end + more;
}

/* Writes the packet whose event has been put up to its end, with what has been interned. */
static inline void end_packet(struct perfetto *writer, struct track *track, char *end)
{
    enum { TAG = 1 };
    const size_t interned = (size_t)(writer->interned_end - writer->interned);
    char *start = writer->packet.start;
    end = put_length(writer->packet.event, end, 0);
    end = put_length(start + TAG + 1, end, interned > 0 ? TAG + varint_size(interned) + interned : 0);
    outfile_advance(writer->out, (size_t)(end - start));
    if (interned > 0) {
        char head[2 * VARINT_MAX], *p = varint_put(field_put_tag(head, PACKET_INTERNED_DATA, WIRE_BYTES), interned);
        outfile_write(writer->out, head, (size_t)(p - head));
        outfile_write(writer->out, writer->interned, interned);
        writer->interned_end = writer->interned;
    }
    if (writer->packet.time_ns >= track->now_ns)
        track->now_ns = writer->packet.time_ns;
}

/* Writes the end of a slice. */
static inline void write_end(struct perfetto *writer, struct track *track, int64_t time_ns)
{
    char *start = outfile_reserve(writer->out, HEAD_MAX), *p = field_put_tag(start, TRACE_PACKET, WIRE_BYTES) + 1;
    p = put_time(p, track, time_ns);
    memcpy(p, track->end, TRACK_BYTES);
    p += track->end_size;
    start[1] = (char)(p - start - 2);
    outfile_advance(writer->out, (size_t)(p - start));
    if (time_ns >= track->now_ns)
        track->now_ns = time_ns;
}

static char *put_clock(char *p, unsigned id, int64_t time_ns, bool incremental)
{
    char clock[4 * VARINT_MAX], *c = field_put(clock, CLOCK_ID, id);
    c = field_put(c, CLOCK_TIMESTAMP, (uint64_t)time_ns);
    if (incremental)
        c = field_put(c, CLOCK_INCREMENTAL, 1);
    return field_put_bytes(p, SNAPSHOT_CLOCKS, clock, (size_t)(c - clock));
}

/* Begins a sequence that has not begun since all were to begin anew: its clock is at 0, as that of the trace, and its
 * events are of its track. */
static void begin_sequence(struct perfetto *writer, struct track *track)
{
    if (track->generation == writer->generation)
        return;
    char head[HEAD_MAX], defaults[HEAD_MAX], event[2 * VARINT_MAX], snapshot[HEAD_MAX];
    char *p = field_put(head, PACKET_SEQUENCE_ID, track->uuid);
    p = field_put(p, PACKET_SEQUENCE_FLAGS, STATE_CLEARED | NEEDS_STATE);
    char *e = field_put(event, EVENT_TRACK_UUID, track->uuid);
    char *d = field_put(defaults, PACKET_CLOCK_ID, CLOCK_SEQUENCE_ID);
    d = field_put_bytes(d, DEFAULTS_TRACK_EVENT, event, (size_t)(e - event));
    p = field_put_bytes(p, PACKET_DEFAULTS, defaults, (size_t)(d - defaults));
    char *s = put_clock(snapshot, CLOCK_SEQUENCE_ID, 0, true);
    s = put_clock(s, CLOCK_TRACE_ID, 0, false);
    write_packet(writer, head, (size_t)(p - head), PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(s - snapshot));
    track->now_ns = 0;
    track->generation = writer->generation;
    p = e = field_put((char *)track->begin, PACKET_SEQUENCE_ID, track->uuid);
    if (!track->counter)
        p = field_put(p, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    track->begin_size = (uint8_t)(field_put_tag(p, PACKET_TRACK_EVENT, WIRE_BYTES) - (char *)track->begin);
    const size_t id_size = (size_t)(e - (char *)track->begin);
    memcpy(track->end, track->begin, id_size);
    char end[VARINT_MAX];
    e = field_put(end, EVENT_TYPE, TYPE_SLICE_END);
    e = field_put_bytes((char *)track->end + id_size, PACKET_TRACK_EVENT, end, (size_t)(e - end));
    track->end_size = (uint8_t)(e - (char *)track->end);
}

/* ---- tracks ---- */

static struct track *new_track(struct perfetto *writer, uint64_t parent, struct err *err)
{
    if (array_reserve(&writer->all_tracks, 1, err) < 0)
        return NULL;
    struct track *track = calloc(1, sizeof *track);
    if (track == NULL) {
        no_memory(err);
        return NULL;
    }
    *track = (struct track){.uuid = writer->next_uuid++, .parent = parent, .rank = DB_NULL, .begin_ns = INT64_MIN};
    writer->all_tracks.items[writer->all_tracks.count++] = track;
    return track;
}

static struct process *process_of(struct perfetto *writer, int64_t pid, struct err *err)
{
    struct process_item *item = map_add(&writer->processes, &pid, NULL, err);
    if (item == NULL || item->process != NULL)
        return item != NULL ? item->process : NULL;
    if (array_reserve(&writer->all_processes, 1, err) < 0)
        return NULL;
    item->process = calloc(1, sizeof *item->process);
    if (item->process == NULL) {
        no_memory(err);
        return NULL;
    }
    bool own = pid > 0 && pid < OWN_PID_FROM;
    *item->process = (struct process){.pid = pid,
                                      .uuid = writer->next_uuid++,
                                      .number = own ? pid : OWN_PID_FROM + (int64_t)writer->processes.used,
                                      .rank = DB_NULL};
    writer->all_processes.items[writer->all_processes.count++] = item->process;
    return item->process;
}

static struct track *track_of(struct perfetto *writer, int64_t pid, int64_t tid, struct err *err)
{
    struct track_item *recent = &writer->recent[((uint64_t)pid * 31 + (uint64_t)tid) % RECENT];
    if (recent->track != NULL && recent->key.pid == pid && recent->key.tid == tid)
        return recent->track;
    const struct track_item key = {.key = {pid, tid}};
    struct track_item *item = map_add(&writer->tracks, &key.key, NULL, err);
    if (item == NULL)
        return NULL;
    if (item->track == NULL) {
        const struct process *process = process_of(writer, pid, err);
        item->track = process != NULL ? new_track(writer, process->uuid, err) : NULL;
    }
    *recent = *item;
    return item->track;
}

static void write_descriptor(struct perfetto *writer, const char *message, const char *end)
{
    write_packet(writer, "", 0, PACKET_TRACK_DESCRIPTOR, message, (size_t)(end - message));
}

static char *put_rank(char *p, int64_t rank)
{
    if (rank == DB_NULL)
        return p;
    int64_t limited = rank < INT32_MIN ? INT32_MIN : rank > INT32_MAX ? INT32_MAX : rank;
    return field_put(p, DESCRIPTOR_RANK, (uint64_t)limited);
}

static int write_process(struct perfetto *writer, struct process *process, struct err *err)
{
    const char *name = process->name != NULL ? process->name : "";
    const char *label = process->label != NULL ? process->label : "";
    if (process->written)
        return 0;
    if (make_room(writer, strlen(name) + strlen(label), err) < 0)
        return err_status(err);
    process->written = true;
    char *inner = writer->interned, *i = field_put(inner, PROCESS_PID, (uint64_t)process->number);
    i = field_put_bytes(i, PROCESS_NAME, name, strlen(name));
    if (process->label != NULL)
        i = field_put_bytes(i, PROCESS_LABELS, label, strlen(label));
    char *p = field_put(writer->event, DESCRIPTOR_UUID, process->uuid);
    p = field_put_bytes(p, DESCRIPTOR_PROCESS, inner, (size_t)(i - inner));
    p = field_put(p, DESCRIPTOR_CHILD_ORDERING, ORDERING_EXPLICIT);
    write_descriptor(writer, writer->event, put_rank(p, process->rank));
    return 0;
}

static int write_track(struct perfetto *writer, const struct track *track, struct err *err)
{
    if (make_room(writer, track->name != NULL ? strlen(track->name) : 0, err) < 0)
        return err_status(err);
    char *p = field_put(writer->event, DESCRIPTOR_UUID, track->uuid);
    if (track->name != NULL)
        p = field_put_bytes(p, DESCRIPTOR_NAME, track->name, strlen(track->name));
    p = field_put(p, DESCRIPTOR_PARENT_UUID, track->parent);
    p = field_put(p, DESCRIPTOR_SIBLING_MERGE, MERGE_NONE);
    write_descriptor(writer, writer->event, put_rank(p, track->rank));
    return 0;
}

/* ---- events ---- */

/* Writes the ends that are due. */
static void end_slices(struct perfetto *writer, struct track *track, int64_t until_ns)
{
    while (track->ends.count > 0 && track->ends.items[track->ends.count - 1] <= until_ns) {
        write_end(writer, track, track->ends.items[--track->ends.count]);
    }
}

static char *put_number(char *p, const struct event_arg *arg)
{
    const struct event_number number = event_number(arg);
    if (!number.whole)
        return field_put_double(p, ANNOTATION_DOUBLE, number.real);
    return field_put(p, number.integer < 0 ? ANNOTATION_INT : ANNOTATION_UINT, (uint64_t)number.integer);
}

static inline __attribute__((always_inline)) char *put_annotation(char *p, struct perfetto *writer, struct track *track,
                                                                  const struct event_arg *arg, struct err *err)
{
    const struct span key = {arg->key + 2, (size_t)arg->key_length - 4}; /* without comma, quotes and colon */
    char *message = field_put_tag(p, EVENT_ANNOTATION, WIRE_BYTES) + 1;
    p = put_interned(message, writer, track, TEXT_KEY, (arg->copied & EVENT_COPY_KEY) == 0, key, err);
    if (arg->type == EVENT_TEXT)
        p = put_interned(p, writer, track, TEXT_VALUE, (arg->copied & EVENT_COPY_TEXT) == 0,
                         (struct span){arg->text, arg->length}, err);
    else if (arg->type == EVENT_INTEGER)
        p = field_put(p, arg->integer < 0 ? ANNOTATION_INT : ANNOTATION_UINT, (uint64_t)arg->integer);
    else
        p = put_number(p, arg);
    return put_length(message, p, 0);
}

/* Writes the beginning of a slice, or an instant, whose facts have been put, and keeps its end. */
static int write_slice(struct perfetto *writer, struct track *track, const struct event_head *event, char *p,
                       struct err *err)
{
    const int64_t start_ns = event->start_ns, end_ns = span_end(start_ns, event->duration_ns);
    const bool instant = event->phase == 'i', earlier = start_ns < track->now_ns;
    p = field_put(p, EVENT_TYPE, instant ? TYPE_INSTANT : TYPE_SLICE_BEGIN);
    end_packet(writer, track, put_name(p, writer, track, event, err));
    if (instant)
        return 0;
    if (earlier) { /* the ends that are waiting are not of what is around it */
        write_end(writer, track, end_ns);
        return 0;
    }
    track->begin_ns = start_ns;
    return array_add(&track->ends, err, end_ns);
}

/* The number of an arrow: its own, or the hash of what it is as JSON. */
static uint64_t flow_id(const struct event *event)
{
    char text[EVENT_ID_MAX];
    if (event->head.id_form == EVENT_ID_NUMBER && event->head.id >= 0)
        return (uint64_t)event->head.id;
    return map_hash_bytes(text, (size_t)(event_put_id(text, event) - text));
}

/* Writes an end of an arrow, whose facts have been put. */
static int write_flow(struct perfetto *writer, struct track *track, const struct event *event, char *p, struct err *err)
{
    char legacy[4 * VARINT_MAX], *l = field_put(legacy, LEGACY_PHASE, (uint64_t)event->head.phase);
    l = field_put(l, LEGACY_UNSCOPED_ID, flow_id(event));
    if (event->head.phase == 'f')
        l = field_put(l, LEGACY_BIND_TO_ENCLOSING, 1);
    p = put_name(p, writer, track, &event->head, err);
    end_packet(writer, track, field_put_bytes(p, EVENT_LEGACY, legacy, (size_t)(l - legacy)));
    return 0;
}

static struct track *counter_of(struct perfetto *writer, const struct event_head *event, struct span key,
                                struct err *err)
{
    const bool is_word = event->name_length == 0;
    const struct span whole =
        is_word ? (struct span){event->prefix, event->prefix_length} : (struct span){event->name, event->name_length};
    const struct counter_item wanted = {
        .key = {event->pid, map_hash_bytes(whole.text, whole.length) * 31 + map_hash_bytes(key.text, key.length)}};
    struct counter_item *item = map_add(&writer->counters, &wanted.key, NULL, err);
    if (item == NULL || item->track != NULL)
        return item != NULL ? item->track : NULL;
    struct track *track;
    struct process *process = process_of(writer, event->pid, err);
    if (process == NULL || write_process(writer, process, err) < 0 ||
        (track = new_track(writer, process->uuid, err)) == NULL)
        return NULL;
    item->track = track;
    track->counter = true;
    if (make_room(writer, whole.length + 2 * key.length, err) < 0)
        return NULL;
    char *name = writer->interned, *n = name + event_text_characters(name, whole.text, whole.length), *unit, *u;
    *n++ = ' ';
    n += event_text_characters(n, key.text, key.length);
    unit = n;
    u = put_text(unit, COUNTER_UNIT_NAME, key);
    char *p = field_put(writer->event, DESCRIPTOR_UUID, track->uuid);
    p = field_put_bytes(p, DESCRIPTOR_NAME, name, (size_t)(n - name));
    p = field_put(p, DESCRIPTOR_PARENT_UUID, process->uuid);
    p = field_put(p, DESCRIPTOR_SIBLING_MERGE, MERGE_NONE);
    p = field_put_bytes(p, DESCRIPTOR_COUNTER, unit, (size_t)(u - unit));
    write_descriptor(writer, writer->event, p);
    return track;
}

static int add_counters(struct perfetto *writer, const struct event *event, struct err *err)
{
    for (size_t i = 0; i < event->head.arg_count; i++) {
        const struct event_arg *arg = &event->args[i];
        struct track *track =
            counter_of(writer, &event->head, (struct span){arg->key + 2, (size_t)arg->key_length - 4}, err);
        if (track == NULL)
            return err_status(err);
        if (arg->type == EVENT_TEXT)
            return err_set(err, ERR_FORMAT, "a counter of a timeline is not a number: %.*s", (int)arg->length,
                           arg->text);
        const struct event_number number = event_number(arg);
        begin_sequence(writer, track);
        char *p = field_put(begin_packet(writer, track, event->head.start_ns), EVENT_TYPE, TYPE_COUNTER);
        end_packet(writer, track,
                   number.whole ? field_put(p, EVENT_COUNTER_VALUE, (uint64_t)number.integer)
                                : field_put_double(p, EVENT_DOUBLE_COUNTER_VALUE, number.real));
    }
    return 0;
}

static int set_text(char **text, const struct event_arg *arg, struct err *err)
{
    char *plain = malloc((size_t)arg->length + 1);
    if (plain == NULL)
        return no_memory(err);
    plain[event_text_characters(plain, arg->text, arg->length)] = '\0';
    free(*text);
    *text = plain;
    return 0;
}

/* Remembers names and places of processes and threads. */
static int add_metadata(struct perfetto *writer, const struct event *event, struct err *err)
{
    const struct event_head *head = &event->head;
    const bool of_thread = strncmp(head->prefix, "thread", 6) == 0;
    struct process *process = process_of(writer, head->pid, err);
    struct track *track = process != NULL && of_thread ? track_of(writer, head->pid, head->tid, err) : NULL;
    if (process == NULL || (of_thread && track == NULL))
        return err_status(err);
    if (event->args->type != EVENT_TEXT) {
        *(of_thread ? &track->rank : &process->rank) = event->args->integer;
        return 0;
    }
    const bool label = strcmp(head->prefix, "process_labels") == 0;
    return set_text(of_thread ? &track->name : label ? &process->label : &process->name, event->args, err);
}

/* That of an instant, as its last argument. */
static char *put_duration(char *p, struct perfetto *writer, struct track *track, int64_t duration_ns, struct err *err)
{
    const struct event_key key = EVENT_KEY("Duration(us)");
    const struct event_arg arg = {
        .key = key.text, .key_length = (uint16_t)key.length, .type = EVENT_US, .integer = duration_ns};
    return put_annotation(p, writer, track, &arg, err);
}

/* Writes what is due before a slice or an arrow, and the event. */
static int add_event(struct perfetto *writer, struct track *track, const struct event *event, struct err *err)
{
    const struct event_head *head = &event->head;
    const bool is_slice = head->phase == 'X' || head->phase == 'i';
    begin_sequence(writer, track);
    if (is_slice || track->begin_ns != head->start_ns) /* else it is of the slice that has just begun, however short */
        end_slices(writer, track, head->start_ns);
    char *p = begin_packet(writer, track, head->start_ns);
    if (head->category != NULL)
        p = put_interned(p, writer, track, TEXT_CATEGORY, true, (struct span){head->category, head->category_length},
                         err);
    for (size_t i = 0; i < head->arg_count; i++)
        p = put_annotation(p, writer, track, &event->args[i], err);
    if (head->phase == 'i')
        p = put_duration(p, writer, track, head->duration_ns, err);
    const int status = is_slice ? write_slice(writer, track, head, p, err) : write_flow(writer, track, event, p, err);
    return err->code != ERR_NONE ? err_status(err) : status;
}

static int perfetto_add(void *opaque, const struct event *event, struct err *err)
{
    struct perfetto *writer = opaque;
    if (event->head.phase == 'M')
        return add_metadata(writer, event, err);
    if (has_enough(writer))
        forget(writer);
    if (event->head.phase == 'C')
        return add_counters(writer, event, err);
    struct track *track = track_of(writer, event->head.pid, event->head.tid, err);
    return track != NULL ? add_event(writer, track, event, err) : err_status(err);
}

/* ---- the whole ---- */

static void perfetto_free(void *opaque)
{
    struct perfetto *writer = opaque;
    if (writer == NULL)
        return;
    for (size_t i = 0; i < writer->all_tracks.count; i++) {
        free(writer->all_tracks.items[i]->name);
        free(writer->all_tracks.items[i]->known);
        free(writer->all_tracks.items[i]->ends.items);
        free(writer->all_tracks.items[i]);
    }
    for (size_t i = 0; i < writer->all_processes.count; i++) {
        free(writer->all_processes.items[i]->name);
        free(writer->all_processes.items[i]->label);
        free(writer->all_processes.items[i]);
    }
    free(writer->all_tracks.items);
    free(writer->all_processes.items);
    map_release(&writer->tracks);
    map_release(&writer->counters);
    map_release(&writer->processes);
    intern_release(&writer->texts.interned);
    free(writer->event);
    free(writer->interned);
    free(writer->name);
    free(writer);
}

static void *perfetto_open(struct outfile *out, const struct export_options *options, struct err *err)
{
    struct perfetto *writer = calloc(1, sizeof *writer);
    (void)options;
    if (writer == NULL) {
        no_memory(err);
        return NULL;
    }
    *writer = (struct perfetto){.out = out,
                                .tracks = MAP_OF(struct track_item, key),
                                .counters = MAP_OF(struct counter_item, key),
                                .processes = MAP_OF(struct process_item, pid),
                                .generation = 1,
                                .next_uuid = 1};
    if (make_room(writer, 0, err) == 0)
        return writer;
    perfetto_free(writer);
    return NULL;
}

static int write_about(struct perfetto *writer, const struct strbuf *about, int64_t unix_ns, struct err *err)
{
    char snapshot[HEAD_MAX], *s = put_clock(snapshot, CLOCK_TRACE_ID, 0, false);
    if (make_room(writer, about->length, err) < 0)
        return err_status(err);
    if (unix_ns != DB_NULL && unix_ns >= 0) {
        s = put_clock(s, CLOCK_REALTIME_ID, unix_ns, false);
        write_packet(writer, "", 0, PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(s - snapshot));
    }
    char *p = field_put(writer->event, DESCRIPTOR_UUID, 0);
    p = field_put_bytes(p, DESCRIPTOR_DESCRIPTION, about->data, about->length);
    write_descriptor(writer, writer->event, field_put(p, DESCRIPTOR_PROCESS_ORDERING, PROCESS_ORDERING_EXPLICIT));
    return 0;
}

static int perfetto_end(void *opaque, const struct trace_about *about, const char *name, struct err *err)
{
    struct perfetto *writer = opaque;
    int status = write_about(writer, about->facts, about->unix_ns, err);
    (void)name;
    for (size_t i = 0; i < writer->all_processes.count && status == 0; i++)
        status = write_process(writer, writer->all_processes.items[i], err);
    for (size_t i = 0; i < writer->all_tracks.count && status == 0; i++) {
        struct track *track = writer->all_tracks.items[i];
        end_slices(writer, track, INT64_MAX);
        if (!track->counter)
            status = write_track(writer, track, err);
    }
    return status;
}

const struct event_writer perfetto_writer = {.open = perfetto_open,
                                             .add = perfetto_add,
                                             .end = perfetto_end,
                                             .free = perfetto_free,
                                             .forget_texts = perfetto_forget_texts};
