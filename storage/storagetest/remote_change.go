package storagetest

import (
	"context"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Arguments and replies of the changes of accounts.
type (
	// ConfirmArgs are those of Confirm.
	ConfirmArgs struct {
		Change      storage.Change
		Reservation storage.RequestKey
	}
	// NamesArgs are those of Rename and Release.
	NamesArgs struct {
		Change storage.Change
		IDs    []Identity
	}
	// RenameReply is the result of Rename.
	RenameReply struct {
		Holding Tenure
		Former  *Tenure
		Err     Failure
	}
	// OutcomesReply is the result of ReserveAll.
	OutcomesReply struct {
		Holdings []Tenure
		KeyID    storage.KeyID
		Err      Failure
	}
	// HoldingReply is the result of Redirect.
	HoldingReply struct {
		Holding Tenure
		Err     Failure
	}
)

func wireIDs(ids []identifier.Identifier) []Identity {
	out := make([]Identity, len(ids))
	for i, id := range ids {
		out[i] = wireID(id)
	}
	return out
}

func ids(list []Identity) []identifier.Identifier {
	out := make([]identifier.Identifier, len(list))
	for i, w := range list {
		out[i] = w.id()
	}
	return out
}

// ReserveAll asks the other process.
func (r *Remote) ReserveAll(ctx context.Context, req storage.ReserveRequest) (storage.Outcomes, error) {
	args := ReserveArgs{Request: req, Candidates: wireIDs(req.Candidates)}
	args.Request.Candidates = nil
	var reply OutcomesReply
	if err := r.call(ctx, "ReserveAll", args, &reply); err != nil {
		return storage.Outcomes{}, err
	}
	if err := reply.Err.err(); err != nil {
		return storage.Outcomes{}, err
	}
	return storage.Outcomes{Holdings: holdings(reply.Holdings), KeyID: reply.KeyID}, nil
}

// ReserveAll serves Remote.ReserveAll.
func (s *service) ReserveAll(args ReserveArgs, reply *OutcomesReply) error {
	args.Request.Candidates = ids(args.Candidates)
	o, err := s.store.ReserveAll(context.Background(), args.Request)
	reply.Holdings, reply.KeyID, reply.Err = wireHoldings(o.Holdings), o.KeyID, wireError(err)
	return nil
}

// Confirm asks the other process.
func (r *Remote) Confirm(ctx context.Context, c storage.Change, reservation storage.RequestKey) ([]storage.Holding, error) {
	return r.changed(ctx, "Confirm", ConfirmArgs{c, reservation})
}

// Confirm serves Remote.Confirm.
func (s *service) Confirm(args ConfirmArgs, reply *HoldingsReply) error {
	list, err := s.store.Confirm(context.Background(), args.Change, args.Reservation)
	reply.Holdings, reply.Err = wireHoldings(list), wireError(err)
	return nil
}

// Rename asks the other process.
func (r *Remote) Rename(ctx context.Context, c storage.Change, to identifier.Identifier) (storage.Renamed, error) {
	var reply RenameReply
	if err := r.call(ctx, "Rename", NamesArgs{c, []Identity{wireID(to)}}, &reply); err != nil {
		return storage.Renamed{}, err
	}
	if err := reply.Err.err(); err != nil {
		return storage.Renamed{}, err
	}
	renamed := storage.Renamed{Holding: reply.Holding.holding()}
	if reply.Former != nil {
		former := reply.Former.holding()
		renamed.Former = &former
	}
	return renamed, nil
}

// Rename serves Remote.Rename.
func (s *service) Rename(args NamesArgs, reply *RenameReply) error {
	renamed, err := s.store.Rename(context.Background(), args.Change, args.IDs[0].id())
	reply.Holding, reply.Err = wireHolding(renamed.Holding), wireError(err)
	if renamed.Former != nil {
		former := wireHolding(*renamed.Former)
		reply.Former = &former
	}
	return nil
}

// Release asks the other process.
func (r *Remote) Release(ctx context.Context, c storage.Change, list ...identifier.Identifier) ([]storage.Holding, error) {
	return r.changed(ctx, "Release", NamesArgs{c, wireIDs(list)})
}

// Release serves Remote.Release.
func (s *service) Release(args NamesArgs, reply *HoldingsReply) error {
	list, err := s.store.Release(context.Background(), args.Change, ids(args.IDs)...)
	reply.Holdings, reply.Err = wireHoldings(list), wireError(err)
	return nil
}

// Account asks the other process.
func (r *Remote) Account(ctx context.Context, owner string) ([]storage.Holding, error) {
	return r.changed(ctx, "Account", owner)
}

// Account serves Remote.Account.
func (s *service) Account(owner string, reply *HoldingsReply) error {
	list, err := s.store.Account(context.Background(), owner)
	reply.Holdings, reply.Err = wireHoldings(list), wireError(err)
	return nil
}

// Redirect asks the other process.
func (r *Remote) Redirect(ctx context.Context, former identifier.Identifier) (storage.Holding, error) {
	var reply HoldingReply
	if err := r.call(ctx, "Redirect", wireID(former), &reply); err != nil {
		return storage.Holding{}, err
	}
	if err := reply.Err.err(); err != nil {
		return storage.Holding{}, err
	}
	return reply.Holding.holding(), nil
}

// Redirect serves Remote.Redirect.
func (s *service) Redirect(former Identity, reply *HoldingReply) error {
	h, err := s.store.Redirect(context.Background(), former.id())
	reply.Holding, reply.Err = wireHolding(h), wireError(err)
	return nil
}

// changed asks for holdings.
func (r *Remote) changed(ctx context.Context, method string, args any) ([]storage.Holding, error) {
	var reply HoldingsReply
	if err := r.call(ctx, method, args, &reply); err != nil {
		return nil, err
	}
	if err := reply.Err.err(); err != nil {
		return nil, err
	}
	return holdings(reply.Holdings), nil
}
