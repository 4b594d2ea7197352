// Command patch-oracle says what Kubernetes itself makes of strategic merge patches. The first argument says what is asked:
//
//	schema   prints the fields of the patchable kinds, one type per line, from the Go types of k8s.io/api
//	serve    answers questions, a JSON object per line, with a JSON object per line (see question)
//	kubectl  is kubectl; the rest are its own arguments
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/patch"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	kjson "sigs.k8s.io/json"
)

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	switch mode {
	case "schema":
		printSchema()
	case "serve":
		serve()
	case "kubectl":
		os.Args = slices.Delete(os.Args, 1, 2)
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	default:
		fmt.Fprintln(os.Stderr, "say schema, serve or kubectl")
		os.Exit(2)
	}
}

func newObject(kind string) any {
	switch kind {
	case "deployment":
		return &appsv1.Deployment{}
	case "service":
		return &corev1.Service{}
	case "ingress":
		return &networkingv1.Ingress{}
	}
	panic("unknown kind " + kind)
}

// question asks one of: what JSON a YAML text is (yaml), what kubectl patch makes of an object (object, patch: the text of the
// patch), or whether an object of a kind decodes strictly (kind, strict).
type question struct {
	Kind   string          `json:"kind"`
	Object json.RawMessage `json:"object"`
	Patch  string          `json:"patch"`
	Strict json.RawMessage `json:"strict"`
	YAML   *string         `json:"yaml"`
}

type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func serve() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	folder, err := os.MkdirTemp("", "patch-oracle-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	cmdutil.BehaviorOnFatal(func(text string, _ int) { panic(text) })
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		result, err := reply(line, folder)
		said := answer{Result: result}
		if err != nil {
			said = answer{Error: err.Error()}
		}
		if err := out.Encode(said); err != nil {
			return
		}
	}
}

func reply(line []byte, folder string) (result json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	switch {
	case q.YAML != nil:
		// What kubectl patch does with --patch-file before anything else, and the decoding that follows.
		text, err := yaml.ToJSON([]byte(*q.YAML))
		if err != nil {
			return nil, err
		}
		fields := map[string]any{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &fields); err != nil {
			return nil, err
		}
		return json.Marshal(fields)
	case q.Strict != nil:
		problems, err := kjson.UnmarshalStrict(q.Strict, newObject(q.Kind))
		if err == nil && len(problems) > 0 {
			err = problems[0]
		}
		return json.RawMessage("true"), err
	default:
		return patchLocally(q.Object, []byte(q.Patch), folder)
	}
}

// patchLocally runs kubectl patch --local --type=strategic -o json in this process: starting kubectl anew takes 100 times as long.
func patchLocally(object, text []byte, folder string) (json.RawMessage, error) {
	objectFile, patchFile := filepath.Join(folder, "object.json"), filepath.Join(folder, "patch.yaml")
	for file, content := range map[string][]byte{objectFile: object, patchFile: text} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	command := patch.NewCmdPatch(cmdutil.NewFactory(genericclioptions.NewConfigFlags(false)), streams)
	command.SetArgs([]string{"--local", "--type=strategic", "-o", "json", "--show-managed-fields", "-f", objectFile, "--patch-file", patchFile})
	if err := command.Execute(); err != nil {
		return nil, err
	}
	if errOut.Len() > 0 {
		return nil, fmt.Errorf("kubectl said: %s", errOut)
	}
	compact := bytes.Buffer{}
	err := json.Compact(&compact, out.Bytes())
	return compact.Bytes(), err
}

// known are the types whose JSON is not their Go structure.
var known = map[reflect.Type]string{
	reflect.TypeFor[intstr.IntOrString]():   "int-or-string",
	reflect.TypeFor[resource.Quantity]():    "quantity",
	reflect.TypeFor[metav1.Time]():          "time",
	reflect.TypeFor[metav1.MicroTime]():     "time",
	reflect.TypeFor[metav1.FieldsV1]():      "raw",
	reflect.TypeFor[runtime.RawExtension](): "raw",
	reflect.TypeFor[[]byte]():               "bytes",
}

var (
	lines = map[string]string{}
	named = map[string]reflect.Type{}
)

func printSchema() {
	version := ""
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			version = module.Version
		}
	}
	fmt.Println("version " + version)
	for _, kind := range []string{"deployment", "service", "ingress"} {
		fmt.Printf("kind %s %s\n", kind, nameOf(reflect.TypeOf(newObject(kind))))
	}
	names := []string{}
	for name := range lines {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Println(name + ": " + lines[name])
	}
}

// nameOf writes a type as scalar, type name, []element or {}value, and remembers the fields of the types it meets.
func nameOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return nameOf(t.Elem())
	}
	if name, ok := known[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return t.Kind().String()
	case reflect.Slice:
		return "[]" + nameOf(t.Elem())
	case reflect.Map:
		return "{}" + nameOf(t.Elem())
	case reflect.Struct:
		name := t.Name()
		if other, ok := named[name]; ok && other != t {
			panic("two types of the name " + name)
		}
		named[name] = t
		if _, ok := lines[name]; !ok {
			lines[name] = "" // for types that reach themselves
			lines[name] = strings.Join(fieldsOf(t), ", ")
		}
		return name
	}
	panic("no word for " + t.String())
}

func fieldsOf(t reflect.Type) []string {
	fields := []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case field.Anonymous && name == "":
			fields = append(fields, fieldsOf(field.Type)...)
			continue
		case name == "":
			panic("no JSON name for " + t.Name() + "." + field.Name)
		}
		words := []string{name, nameOf(field.Type)}
		if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
			words = append(words, strategy)
		}
		if key := field.Tag.Get("patchMergeKey"); key != "" {
			words = append(words, "by", key)
		}
		fields = append(fields, strings.Join(words, " "))
	}
	return fields
}
