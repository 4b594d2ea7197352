// Command kube holds the four Kubernetes programs that the cluster tests run: kube-apiserver, kube-controller-manager,
// kube-scheduler and kubelet. The first argument says which; the rest are that program's own flags. One binary links the shared
// code once, so the four together build faster and are smaller than each alone. kube-proxy and DNS are left out: the tests
// reach pods by their address.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var programs = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	program, known := programs[name]
	if !known {
		fmt.Fprintln(os.Stderr, "kube: the first argument is kube-apiserver, kube-controller-manager, kube-scheduler or kubelet")
		os.Exit(2)
	}
	// Each program parses os.Args itself and takes its first word for its own name.
	os.Args = slices.Delete(os.Args, 0, 1)
	os.Exit(cli.Run(program()))
}
