/* Files of other tools of any bytes: an error that says why, or answers. The first byte chooses the
 * tool, or leaves it to be told. */
#include "exchange/detect.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scdc_import_options options;
    scdc_import_info info = {0};
    file_bytes file;
    if (size == 0) return 0;
    scdc_import_options_init(&options);
    options.from = scdc_import_tool(bytes[0] % 16); /* NULL beyond the last: by content */
    options.task_items = 4 + bytes[0] / 16;
    options.base_names = bytes[0] & 1;
    file_from_memory(&file, bytes + 1, size - 1, "fuzz.bin");
    int status = exchange_import(&info, &file, "/dev/null", &options);
    if (status == SCDC_OK) {
        PROMISE(info.rows > 0 && info.workers > 0 && info.items > 0);
        PROMISE(info.tool && info.form && info.skipped <= info.rows);
    } else {
        PROMISE(status == SCDC_ERR_INPUT && scdc_last_error()[0]);
    }
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const seeds[] = {
        "\17[{\"id\":1,\"data\":{\"image1\":\"a\",\"image2\":\"b\"},\"annotations\":[{\"completed_"
        "by\":"
        "{\"id\":2},\"result\":[{\"from_name\":\"s\",\"value\":{\"choices\":[\"Same\"]}}],\"lead_"
        "time\":2.5,"
        "\"ground_truth\":true}],\"predictions\":[{\"model_version\":\"m\",\"result\":[]}]}]",
        "\17[{\"data\":{},\"annotations\":[{\"completed_by\":1,\"result\":[{\"value\":{\"ranker\":{"
        "\"x\":"
        "[\"a\",\"b\"],\"_\":[\"c\"]}}}]}]}]",
        "\17{\"left\":\"a\",\"right\":\"b\",\"answer\":\"accept\",\"_session_id\":\"d-x\",\"_"
        "timestamp\":1}\n"
        "{\"left\":\"a\",\"right\":\"c\",\"answer\":\"reject\",\"_session_id\":\"d-y\"}\n",
        "\17{\"text\":\"t\",\"options\":[{\"id\":1,\"text\":\"same\"}],\"accept\":[1],\"answer\":"
        "\"accept\"}\n",
        "\17{\"id\":1,\"text\":\"x\",\"q.responses\":[\"a\",\"b\"],\"q.responses.users\":[\"u\","
        "\"v\"],"
        "\"q.responses.status\":[\"submitted\",\"draft\"],\"q.suggestion\":\"a\",\"q.suggestion."
        "agent\":\"m\"}",
        "\17[{\"id\":1,\"fields\":{\"text\":\"x\"},\"responses\":{\"q\":[{\"value\":\"a\",\"user_"
        "id\":\"u\"}]}}]",
        "\17{\"user_id\":\"u\",\"instance_id_to_label_to_value\":{\"i\":[[{\"schema\":\"s\","
        "\"name\":\"n\"},"
        "\"{\\\"g\\\":[\\\"a\\\",\\\"b\\\"]}\"]],\"j\":{\"s\":{\"n\":\"true\"}}}}",
        "\17HITId,WorkerId,AssignmentStatus,Input.image1,Input.image2,Answer.s.yes,Answer.s.no\n"
        "h,w,Approved,a,b,true,false\n",
        "\17WorkerId,HITId,Input.url,Answer.taskAnswers\nw,h,a,\"[{\"\"c\"\":{\"\"label\"\":"
        "\"\"x\"\"}}]\"\n",
        "\17INPUT:a\tINPUT:b\tOUTPUT:r\tGOLDEN:r\tASSIGNMENT:worker_"
        "id\nx\ty\tsame\tsame\tw\n\nx\tz\tno\t\tv\n",
        "\17PROLIFIC_PID,item,answer,status\np,a,cat,APPROVED\np,b,dog,RETURNED\n",
        "\17unique_id_l,unique_id_r,clerical_match_score\n1,2,.9\n1,3,0\n",
        "\37task,worker,label\na,w,x\nb,w,y\nc,w,x\nd,w,x\ne,w,y\na,w,y\nf,w,z\n",
        "\17{\"match\":[[{\"id\":1},{\"id\":2}]],\"distinct\":[{\"__class__\":\"tuple\",\"__value__"
        "\":[{\"id\":1},"
        "{\"id\":3}]}]}",
        "\17a b 1\nb c -1\na d CL\n",
        "\17{\"must_link\":[[1,2]],\"cannot_link\":[[\"a\",3]]}",
        "\13worker,left,right,label,time\nw,a,b,yes,1\nv,a,b,not sure,2\n",
    };
    return number < sizeof seeds / sizeof *seeds ? fuzz_text(out, seeds[number]) : 0;
}
