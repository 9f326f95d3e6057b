package localpg

// Serving gives the ids of the processes that run on the cluster of a state folder.
func Serving(dir string) ([]int, error) {
	h, err := findHome(dir)
	if err != nil {
		return nil, err
	}
	if err := h.identify(); err != nil {
		return nil, err
	}
	all, err := h.serving()
	var pids []int
	for _, p := range all {
		pids = append(pids, p.pid)
	}
	return pids, err
}
