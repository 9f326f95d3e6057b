package storagetest

import (
	"context"

	"namegate/storage"
)

// Arguments and replies of what operators order.
type (
	// OrderArgs are those of Block and Unblock.
	OrderArgs struct {
		ID          Identity
		Actor, Note string
	}
	// BlockReply is the result of Block.
	BlockReply struct {
		LookupReply
		Changed bool
	}
)

func wireOrder(o storage.Order) OrderArgs { return OrderArgs{wireID(o.Identifier), o.Actor, o.Note} }

func (a OrderArgs) order() storage.Order {
	return storage.Order{Identifier: a.ID.id(), Actor: a.Actor, Note: a.Note}
}

// Block asks the other process.
func (r *Remote) Block(ctx context.Context, o storage.Order) (storage.Blocked, error) {
	var reply BlockReply
	if err := r.call(ctx, "Block", wireOrder(o), &reply); err != nil {
		return storage.Blocked{}, err
	}
	standing, err := reply.standing()
	return storage.Blocked{Standing: standing, Changed: reply.Changed}, err
}

// Block serves Remote.Block.
func (s *service) Block(args OrderArgs, reply *BlockReply) error {
	blocked, err := s.store.Block(context.Background(), args.order())
	reply.LookupReply, reply.Changed = wireStanding(blocked.Standing, err), blocked.Changed
	return nil
}

// Unblock asks the other process.
func (r *Remote) Unblock(ctx context.Context, o storage.Order) (storage.Standing, error) {
	var reply LookupReply
	if err := r.call(ctx, "Unblock", wireOrder(o), &reply); err != nil {
		return storage.Standing{}, err
	}
	return reply.standing()
}

// Unblock serves Remote.Unblock.
func (s *service) Unblock(args OrderArgs, reply *LookupReply) error {
	*reply = wireStanding(s.store.Unblock(context.Background(), args.order()))
	return nil
}
