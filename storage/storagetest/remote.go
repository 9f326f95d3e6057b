package storagetest

import (
	"context"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Serve answers a Remote on the other end of a connection with a store's
// results, until the connection ends.
func Serve(conn io.ReadWriteCloser, s storage.Store) {
	server := rpc.NewServer()
	_ = server.RegisterName("Store", &service{s}) // fails only for a service without methods
	server.ServeCodec(jsonrpc.NewServerCodec(conn))
}

// Dial gives the store that a process serves on the other end of a connection.
func Dial(conn io.ReadWriteCloser) *Remote { return &Remote{jsonrpc.NewClient(conn)} }

// Remote is a store in another process.
type Remote struct {
	client *rpc.Client
}

// Close ends the connection.
func (r *Remote) Close() error { return r.client.Close() }

// service has a method for each of the contract's, in the form that net/rpc asks for.
type service struct {
	store storage.Store
}

// Arguments and replies of the service; net/rpc wants them exported.
type (
	// ReserveArgs are those of Reserve.
	ReserveArgs struct {
		Request    storage.ReserveRequest
		Candidates []Identity
	}
	// ReserveReply is the result of Reserve.
	ReserveReply struct {
		Holding Tenure
		KeyID   storage.KeyID
		Err     Failure
	}
	// LookupReply is the result of Lookup, and of Unblock.
	LookupReply struct {
		Standing storage.Standing
		Held     *Tenure
		Err      Failure
	}
	// HoldingsReply is the result of Reservation and Cancel.
	HoldingsReply struct {
		Holdings []Tenure
		Err      Failure
	}
	// ImportArgs are a line for Import.
	ImportArgs struct {
		Number int
		ID     Identity
		Owner  string
	}
	// ImportReply is the result of Import.
	ImportReply struct {
		Outcomes []storage.ImportOutcome
		Err      Failure
	}
)

// call waits for an answer, or for the caller to leave.
func (r *Remote) call(ctx context.Context, method string, args, reply any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := r.client.Go("Store."+method, args, reply, nil).Done
	select {
	case c := <-done:
		return c.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Lookup asks the other process.
func (r *Remote) Lookup(ctx context.Context, id identifier.Identifier) (storage.Standing, error) {
	var reply LookupReply
	if err := r.call(ctx, "Lookup", wireID(id), &reply); err != nil {
		return storage.Standing{}, err
	}
	return reply.standing()
}

// Lookup serves Remote.Lookup.
func (s *service) Lookup(id Identity, reply *LookupReply) error {
	*reply = wireStanding(s.store.Lookup(context.Background(), id.id()))
	return nil
}

func wireStanding(standing storage.Standing, err error) LookupReply {
	reply := LookupReply{Err: wireError(err)}
	if standing.Held != nil {
		w := wireHolding(*standing.Held)
		reply.Held, standing.Held = &w, nil
	}
	reply.Standing = standing
	return reply
}

func (r LookupReply) standing() (storage.Standing, error) {
	standing := r.Standing
	standing.AsOf = inUTC(standing.AsOf)
	if r.Held != nil {
		h := r.Held.holding()
		standing.Held = &h
	}
	return standing, r.Err.err()
}

// Reserve asks the other process.
func (r *Remote) Reserve(ctx context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	args := ReserveArgs{Request: req}
	for _, id := range req.Candidates {
		args.Candidates = append(args.Candidates, wireID(id))
	}
	args.Request.Candidates = nil
	var reply ReserveReply
	if err := r.call(ctx, "Reserve", args, &reply); err != nil {
		return storage.Outcome{}, err
	}
	if err := reply.Err.err(); err != nil {
		return storage.Outcome{}, err
	}
	return storage.Outcome{Holding: reply.Holding.holding(), KeyID: reply.KeyID}, nil
}

// Reserve serves Remote.Reserve.
func (s *service) Reserve(args ReserveArgs, reply *ReserveReply) error {
	for _, id := range args.Candidates {
		args.Request.Candidates = append(args.Request.Candidates, id.id())
	}
	outcome, err := s.store.Reserve(context.Background(), args.Request)
	reply.Holding, reply.KeyID, reply.Err = wireHolding(outcome.Holding), outcome.KeyID, wireError(err)
	return nil
}

// Reservation asks the other process.
func (r *Remote) Reservation(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	return r.holdings(ctx, "Reservation", key)
}

// Cancel asks the other process.
func (r *Remote) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	return r.holdings(ctx, "Cancel", key)
}

func (r *Remote) holdings(ctx context.Context, method string, key storage.RequestKey) ([]storage.Holding, error) {
	var reply HoldingsReply
	if err := r.call(ctx, method, key, &reply); err != nil {
		return nil, err
	}
	return holdings(reply.Holdings), reply.Err.err()
}

// Reservation serves Remote.Reservation.
func (s *service) Reservation(key storage.RequestKey, reply *HoldingsReply) error {
	list, err := s.store.Reservation(context.Background(), key)
	reply.Holdings, reply.Err = wireHoldings(list), wireError(err)
	return nil
}

// Cancel serves Remote.Cancel.
func (s *service) Cancel(key storage.RequestKey, reply *HoldingsReply) error {
	list, err := s.store.Cancel(context.Background(), key)
	reply.Holdings, reply.Err = wireHoldings(list), wireError(err)
	return nil
}

// Import asks the other process.
func (r *Remote) Import(ctx context.Context, list []storage.ImportLine) ([]storage.ImportOutcome, error) {
	args := make([]ImportArgs, len(list))
	for i, l := range list {
		args[i] = ImportArgs{l.Number, wireID(l.Identifier), l.Owner}
	}
	var reply ImportReply
	if err := r.call(ctx, "Import", args, &reply); err != nil {
		return nil, err
	}
	return reply.Outcomes, reply.Err.err()
}

// Import serves Remote.Import.
func (s *service) Import(args []ImportArgs, reply *ImportReply) error {
	list := make([]storage.ImportLine, len(args))
	for i, a := range args {
		list[i] = storage.ImportLine{Number: a.Number, Identifier: a.ID.id(), Owner: a.Owner}
	}
	outcomes, err := s.store.Import(context.Background(), list)
	reply.Outcomes, reply.Err = outcomes, wireError(err)
	return nil
}
