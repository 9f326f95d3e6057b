package postgres

import (
	"context"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// giveBackTimeout bounds the return of a name that another outcome of the same
// request made superfluous; if it fails the name is free again when it runs out.
const giveBackTimeout = 2 * time.Second

// Reserve wins the first candidate that is free, records that under the request
// and answers with what the record says. Where one database has both, it does
// so in one transaction.
func (s *Store) Reserve(ctx context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	var lost error = storage.ErrNotFound
	var asked *recordResult // what the record said at the last loss
	for _, id := range req.Candidates {
		won, err := s.winSettled(ctx, req, id, true)
		if err != nil {
			return storage.Outcome{}, err
		}
		if won.won {
			return s.conclude(ctx, req, won)
		}
		if lost == storage.ErrNotFound {
			lost = &storage.HeldError{Holding: won.holding}
		}
		asked = won.settledRecord()
	}
	return s.earlier(ctx, req, asked, lost)
}

// winSettled tries to win an identifier, and once more if what keeps it is the
// intent of a saga that its replica has left.
func (s *Store) winSettled(ctx context.Context, req storage.ReserveRequest, id identifier.Identifier, alone bool) (*winResult, error) {
	won, err := s.win(ctx, req, id, alone)
	if err != nil || !won.overdue {
		return won, err
	}
	in, err := s.readIntent(ctx, id)
	if err == nil && in != nil {
		_, err = s.settle(ctx, *in)
	}
	if err != nil {
		return nil, againUnavailable(err)
	}
	return s.win(ctx, req, id, alone)
}

// win tries to win an identifier and, if it is alone the outcome of the request, to
// record that where its database has the record.
func (s *Store) win(ctx context.Context, req storage.ReserveRequest, id identifier.Identifier, alone bool) (*winResult, error) {
	try := win{id: id, grant: s.newGrant(), holder: req.Request.ID, actor: req.Actor, ttl: req.TTL}
	return onOwner(ctx, s, storage.VshardOf(id), func(d *database) (*winResult, verdict, error) {
		if here, err := s.routes.of(req.Request.Vshard); err == nil && here == d && alone {
			try.record = &record{key: req.Request, arguments: req.Arguments, keyID: req.KeyID, won: id, grant: try.grant}
		}
		r, err := d.steps.do(ctx, step{win: &try})
		if err != nil {
			return nil, settled, err
		}
		return r.win, r.win.verdict, nil
	})
}

// settledRecord is what a record said in the transaction of a win, or nil.
func (r *winResult) settledRecord() *recordResult {
	if r.record.verdict != settled {
		return nil
	}
	return &r.record
}

// conclude records what was won, unless the win has done so, and answers with
// what then stands in the record. What was won and does not stand there is given back.
func (s *Store) conclude(ctx context.Context, req storage.ReserveRequest, r *winResult) (storage.Outcome, error) {
	won, recorded := r.holding, r.settledRecord()
	if recorded == nil || !recorded.known {
		rec, err := s.record(ctx, record{
			key: req.Request, arguments: req.Arguments, keyID: req.KeyID,
			won: won.Identifier, grant: won.Grant, since: won.Since, expireAt: won.ExpireAt,
		})
		if err != nil {
			return storage.Outcome{}, err
		}
		recorded = rec
	}
	if granted := recorded.outcome.granted; len(granted) != 1 || granted[0].Grant != won.Grant {
		s.giveBack(ctx, req, won)
	}
	return recorded.answer(req)
}

// earlier answers with the request's outcome, if it has one, else with err: a
// name that this very request got before may be another's by now.
func (s *Store) earlier(ctx context.Context, req storage.ReserveRequest, asked *recordResult, err error) (storage.Outcome, error) {
	if asked == nil {
		r, err := s.record(ctx, record{key: req.Request})
		if err != nil {
			return storage.Outcome{}, err
		}
		asked = r
	}
	if !asked.known {
		return storage.Outcome{}, err
	}
	return asked.answer(req)
}

// answer is the recorded outcome for a reserve of one identifier.
func (r *recordResult) answer(req storage.ReserveRequest) (storage.Outcome, error) {
	if r.outcome.arguments != req.Arguments || len(r.outcome.granted) != 1 {
		return storage.Outcome{}, storage.ErrRequestConflict
	}
	h := r.outcome.granted[0]
	h.Holder = req.Request.ID
	return storage.Outcome{Holding: h, KeyID: r.outcome.keyID}, nil
}

// record finds or makes the outcome of a request.
func (s *Store) record(ctx context.Context, rec record) (*recordResult, error) {
	return onOwner(ctx, s, rec.key.Vshard, func(d *database) (*recordResult, verdict, error) {
		r, err := d.steps.do(ctx, step{record: &rec})
		if err != nil {
			return nil, settled, err
		}
		return r.record, r.record.verdict, nil
	})
}

// giveBack frees what was won in vain, also when the caller has left.
func (s *Store) giveBack(ctx context.Context, req storage.ReserveRequest, won storage.Holding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	if _, err := s.release(ctx, release{won.Identifier, won.Grant, storage.Reserved, causeCancel, req.Actor}); err != nil {
		s.log.Warn("a name won in vain stays reserved until it runs out", "cause", err)
	}
}

// release frees one tenure.
func (s *Store) release(ctx context.Context, rel release) (releaseResult, error) {
	return onOwner(ctx, s, storage.VshardOf(rel.id), func(d *database) (releaseResult, verdict, error) {
		r, err := d.releases.do(ctx, rel)
		return r, r.verdict, err
	})
}
