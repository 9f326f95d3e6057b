package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// member is one database as the first division of the vshards sees it.
type member struct {
	tx     pgx.Tx
	id     [16]byte
	fleet  [][16]byte // the databases of the division it took part in; nil if none yet
	claims int        // rows in vshards
}

// assign divides the vshards among databases that have none, in equal ranges in
// the order given, or completes a division that was interrupted. A database that
// comes later gets nothing here: moving vshards to it is another matter.
//
// It locks every database to the end, so that two divisions that share one
// exclude each other. The division stands in each database before any commit is
// tried, so that what a crash between two commits leaves undone can only be
// completed as it was meant.
func assign(ctx context.Context, conns []*pgx.Conn) error {
	members, err := lockMembers(ctx, conns)
	defer func() {
		for _, m := range members {
			_ = m.tx.Rollback(context.WithoutCancel(ctx)) // of a committed one: no effect
		}
	}()
	if err != nil {
		return err
	}
	fleet, err := division(members)
	if err != nil {
		return err
	}
	for _, m := range members {
		if at := slices.Index(fleet, m.id); at >= 0 && m.fleet == nil {
			if err := m.take(ctx, fleet, at); err != nil {
				return fmt.Errorf("divide the vshards: %w", err)
			}
		}
	}
	for _, m := range members {
		if err := m.tx.Commit(ctx); err != nil {
			return fmt.Errorf("divide the vshards: %w", err)
		}
	}
	return nil
}

// lockMembers opens a transaction in each database, in the order of their ids,
// so that two that lock the same databases cannot wait for each other.
func lockMembers(ctx context.Context, conns []*pgx.Conn) ([]member, error) {
	ids := make(map[*pgx.Conn][16]byte, len(conns))
	for _, conn := range conns {
		var id [16]byte
		if err := conn.QueryRow(ctx, `SELECT id FROM identity`).Scan(&id); err != nil {
			return nil, err
		}
		ids[conn] = id
	}
	ordered := slices.Clone(conns)
	slices.SortFunc(ordered, func(a, b *pgx.Conn) int {
		x, y := ids[a], ids[b]
		return slices.Compare(x[:], y[:])
	})
	locked := map[*pgx.Conn]member{}
	for _, conn := range ordered {
		m, err := lockMember(ctx, conn)
		if err != nil {
			return members(conns, locked), err
		}
		locked[conn] = m
	}
	return members(conns, locked), nil
}

// members gives the locked ones in the order of conns.
func members(conns []*pgx.Conn, locked map[*pgx.Conn]member) (list []member) {
	for _, conn := range conns {
		if m, ok := locked[conn]; ok {
			list = append(list, m)
		}
	}
	return list
}

func lockMember(ctx context.Context, conn *pgx.Conn) (member, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return member{}, err
	}
	m := member{tx: tx}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, fenceLock); err != nil {
		_ = tx.Rollback(ctx)
		return m, err
	}
	err = tx.QueryRow(ctx, `SELECT id, fleet, (SELECT count(*) FROM vshards) FROM identity`).Scan(&m.id, &m.fleet, &m.claims)
	if err != nil {
		_ = tx.Rollback(ctx)
	}
	return m, err
}

// division is the list of databases that share the vshards: the one that an
// earlier run wrote down, or all of them when there is none.
func division(members []member) ([][16]byte, error) {
	var fleet, ids [][16]byte
	for _, m := range members {
		if slices.Contains(ids, m.id) {
			return nil, &MismatchError{"two of the databases are one"}
		}
		ids = append(ids, m.id)
		switch {
		case m.fleet == nil:
		case fleet == nil:
			fleet = m.fleet
		case !slices.Equal(fleet, m.fleet):
			return nil, &MismatchError{"the databases belong to different registries"}
		}
	}
	if fleet == nil {
		return ids, nil
	}
	for _, id := range fleet {
		if !slices.Contains(ids, id) {
			return nil, &MismatchError{"a database of the registry is not named: name all of them"}
		}
	}
	return fleet, nil
}

// take gives the database at a place of the fleet its range of vshards.
func (m member) take(ctx context.Context, fleet [][16]byte, at int) error {
	first, end := at*storage.Vshards/len(fleet), (at+1)*storage.Vshards/len(fleet)
	ids := make([]pgtype.UUID, len(fleet))
	for i, id := range fleet {
		ids[i] = uuid(id)
	}
	if _, err := m.tx.Exec(ctx, `UPDATE identity SET fleet = $1`, ids); err != nil {
		return err
	}
	_, err := m.tx.Exec(ctx, `INSERT INTO vshards (vshard, state, epoch, move_id)
		SELECT v, 'OWNED', 1, gen_random_uuid() FROM generate_series($1::int, $2::int) v`, first, end-1)
	return err
}
