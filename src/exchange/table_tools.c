/* The columns of each tool whose files are tables. */
#include "exchange/json.h"
#include "exchange/tables.h"

#define ANSWER_NAMES "label", "answer", "same", "response", "choice", "category", "class", "result"

/* CSV and JSON-MIN of Label Studio: a row per annotation. */
const table_kind label_studio_table = {
    .worker = {"annotator", "completed_by"},
    .task = {"id"},
    .time = {"created_at"},
    .seconds = {"lead_time"},
    .said = {ANSWER_NAMES, "sentiment"},
    .own = {"annotation_id", "updated_at"},
};

/* Batch results of the requester's page. */
static const table_kind mturk = {
    .worker = {"WorkerId"},
    .task = {"HITId"},
    .time = {"SubmitTime"},
    .seconds = {"WorkTimeInSeconds"},
    .status = {"AssignmentStatus"},
    .input_prefix = "Input.",
    .said_prefix = "Answer.",
};

/* Assignments as tsv. Rows of different task suites are parted by blank lines. */
static const table_kind toloka = {
    .worker = {"ASSIGNMENT:worker_id"},
    .task = {"ASSIGNMENT:task_id"},
    .time = {"ASSIGNMENT:submitted", "ASSIGNMENT:started"},
    .status = {"ASSIGNMENT:status"},
    .input_prefix = "INPUT:",
    .said_prefix = "OUTPUT:",
    .gold_prefix = "GOLDEN:",
    .blank_lines = true,
};

/* Answers beside the participant that Prolific hands to the survey. */
static const table_kind prolific = {
    .worker = {"PROLIFIC_PID", "Participant id", "participant_id", "participantId"},
    .task = {"task", "task_id"},
    .time = {"Completed at", "completed_at", "submitted_at", "Submitted at", "created_at"},
    .seconds = {"Time taken", "time_taken", "seconds"},
    .status = {"Status"},
    .gold = {"gold", "golden", "truth"},
    .said = {ANSWER_NAMES},
    .own = {"SESSION_ID", "STUDY_ID", "Submission id", "submission_id", "Completion code",
            "Started at", "started_at", "Reviewed at", "Archived at", "Total approvals"},
    .lacks_said = "holds participants of Prolific but no answers (no column label, answer, same, "
                  "response or choice): answers are in the file of the survey, or in the column "
                  "--answer names",
};

static const table_kind splink = {
    .worker = {"worker", "labeller", "reviewer", "user"},
    .said = {"clerical_match_score", "match_probability"},
    .own = {"source_dataset_l", "source_dataset_r", "match_weight", "match_key"},
    .default_worker = "expert",
    .scores = true,
};

static const table_kind crowd_kit = {
    .worker = {"worker", "performer"},
    .said = {"label", "output"},
    .gold = {"gold", "true_label"},
    .time = {"time", "timestamp"},
};

/* Any table that names its columns well, or whose columns the options name. */
static const table_kind plain = {
    .worker = {"worker", "worker_id", "annotator", "annotator_id", "user", "user_id", "labeler",
               "rater", "coder", "participant", "subject"},
    .task = {"task", "task_id", "question_id"},
    .time = {"time", "timestamp", "created_at", "submitted_at", "date"},
    .seconds = {"seconds", "duration", "lead_time"},
    .status = {"status"},
    .gold = {"gold", "golden", "truth"},
    .said = {ANSWER_NAMES, "match", "group", "cluster", "value"},
};

int read_mturk(importer *in)
{
    return read_table(in, &mturk);
}

int read_toloka(importer *in)
{
    return read_table(in, &toloka);
}

int read_prolific(importer *in)
{
    return json_begins(in->file) ? read_records(in, &prolific) : read_table(in, &prolific);
}

int read_splink(importer *in)
{
    return json_begins(in->file) ? read_records(in, &splink) : read_table(in, &splink);
}

int read_crowd_kit(importer *in)
{
    return read_table(in, &crowd_kit);
}

int read_plain(importer *in)
{
    return json_begins(in->file) ? read_records(in, &plain) : read_table(in, &plain);
}
