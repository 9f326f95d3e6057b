package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"namegate/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is the registry on its databases.
type Store struct {
	databases []*database
	routes    routes
	terms     storage.Terms
	log       *slog.Logger
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// Open connects to the databases, checks them and reads the route map. It fails
// with a *MismatchError when waiting would not help; a database that does not
// answer makes its part of the registry unavailable until it does.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.Background())
	s := &Store{terms: o.Terms, log: o.Logger.With("component", "storage"), stop: stop}
	if err := s.open(ctx, background, o); err != nil {
		s.Close()
		return nil, err
	}
	s.running.Go(func() { s.watchRoutes(background) })
	s.running.Go(func() { s.keepPartitions(background) })
	return s, nil
}

func (s *Store) open(ctx, background context.Context, o Options) error {
	for _, named := range o.Databases {
		d, err := newDatabase(background, o, named)
		if err != nil {
			return err
		}
		s.databases = append(s.databases, d)
	}
	s.routes.databases = s.databases
	if err := s.differ(ctx); err != nil {
		return err
	}
	return s.firstRoutes(ctx, o.AnyRoutes)
}

// firstRoutes reads the route map for the start. What a reading in the middle of
// a move shows may be gone in the next one. With anyRoutes a map that is still wrong
// will do, unless that is for want of a database.
func (s *Store) firstRoutes(ctx context.Context, anyRoutes bool) error {
	err := s.routes.refresh(ctx, time.Now())
	if err != nil {
		err = s.routes.refresh(ctx, time.Now())
	}
	if _, ok := errors.AsType[*MismatchError](err); ok {
		if anyRoutes && s.hasAll(ctx) {
			return nil
		}
		return err
	}
	if err != nil {
		s.log.Warn("start without all databases", "cause", err)
	}
	return nil
}

// differ refuses one database under two names.
func (s *Store) differ(ctx context.Context) error {
	names := map[[16]byte]string{}
	for _, d := range s.databases {
		id, err := d.id(ctx)
		if err != nil {
			continue // it does not answer, as the reading of the route map will say
		}
		if other, twice := names[id]; twice {
			return &MismatchError{fmt.Sprintf("databases %s and %s are one", other, d.name)}
		}
		names[id] = d.name
	}
	return nil
}

// hasAll says that every database may be used by itself, and that none is missing of
// those that divided the vshards.
func (s *Store) hasAll(ctx context.Context) bool {
	var fleet, ids [][16]byte
	for _, d := range s.databases {
		id, members, err := d.division(ctx)
		if err != nil {
			return false
		}
		ids, fleet = append(ids, id), append(fleet, members...)
	}
	return !slices.ContainsFunc(fleet, func(id [16]byte) bool { return !slices.Contains(ids, id) })
}

// Close lets waiting calls go through, then closes all connections.
func (s *Store) Close() {
	s.stop()
	s.running.Wait()
	var closing sync.WaitGroup
	for _, d := range s.databases {
		closing.Go(d.close)
	}
	closing.Wait()
}

// watchRoutes reads the route map again while a part of it is unknown or old.
func (s *Store) watchRoutes(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if t := s.routes.table.Load(); t != nil && t.complete && !s.outdated() {
			continue
		}
		switch err := s.routes.refresh(ctx, time.Now()); {
		case err == nil && s.routes.table.Load().complete:
			if told {
				s.log.Info("route map is complete")
			}
			told = false
		case err != nil && !told && ctx.Err() == nil:
			s.log.Warn("route map is incomplete; reading it again every second", "cause", err)
			told = true
		}
	}
}

// outdated says that the vshards of a database have changed since they were read.
func (s *Store) outdated() bool {
	return slices.ContainsFunc(s.databases, func(d *database) bool { return d.outdated.Load() })
}

// newGrant is a random id; the source never fails (crypto/rand).
func (s *Store) newGrant() (g storage.Grant) {
	_, _ = rand.Read(g[:])
	return g
}
