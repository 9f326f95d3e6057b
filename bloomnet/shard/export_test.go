package shard

// SetPaused has f called between the steps of checks, and of what a Core does for checks
// to see.
func (v *View) SetPaused(f func()) { v.paused = f }
