. "$LIB"
rkhs list --json >lists
rkhs help --json >commands
"$PYTHON" - <<'PY'
import json, subprocess, os
lists, commands = json.load(open("lists")), json.load(open("commands"))
shown = subprocess.run([os.environ["RKHS"], "list"], capture_output=True, text=True).stdout.split("\n\n")[0]
words = [word for each in lists["lists"] for word in [each["name"], str(len(each["types"])), *(t["name"] for t in each["types"])]]
print("the same as rkhs list:", words == shown.split())
rbf = [t for each in lists["lists"] for t in each["types"] if t["name"] == "rbf"][0]
print(rbf["formula"], [p["name"] for p in rbf["parameters"]], rbf["parameters"][0]["default"])
print([c["name"] for c in commands["commands"]][:3], [o["name"] for o in commands["options"]])
fit = commands["commands"][0]
print(fit["operands"], fit["list"], {o["letter"]: o["value"] for o in fit["options"] if o["letter"]})
PY
rkhs list kernels --json | "$PYTHON" -c 'import json, sys; print([each["name"] for each in json.load(sys.stdin)["lists"]])'
rkhs list kernels rbf --json | cmp - <(rkhs list rbf --json)
refuses 1 "'rbff'" rbf -- list rbff --json
