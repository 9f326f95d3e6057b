package rediscache

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// form is what a scheme says beside the addresses.
type form struct {
	tls, unix, sentinel, cluster bool
	port                         string // where an address names none
}

var forms = map[string]form{
	"redis":           {port: "6379"},
	"rediss":          {port: "6379", tls: true},
	"unix":            {unix: true},
	"redis+sentinel":  {port: "26379", sentinel: true},
	"rediss+sentinel": {port: "26379", sentinel: true, tls: true},
	"redis+cluster":   {port: "6379", cluster: true},
	"rediss+cluster":  {port: "6379", cluster: true, tls: true},
}

// ParseURL reads where Redis is:
//
//	redis://[user:password@]host[:6379][/database]
//	unix://[user:password@]/path/of/socket[?db=database]
//	redis+sentinel://[user:password@]host[:26379],host,…/name[?db=database]
//	redis+cluster://[user:password@]host[:6379],host,…
//
// With rediss in place of redis the connections are by TLS. Sentinels that ask for a
// password of their own take sentinel_username and sentinel_password after the "?". An
// error says which part is wrong and repeats nothing that may be secret.
func ParseURL(raw string) (*redis.UniversalOptions, error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	f, known := forms[scheme]
	if !known {
		return nil, errors.New("--redis: scheme must be redis, rediss, unix, redis+sentinel, rediss+sentinel, redis+cluster or rediss+cluster")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@') + 1
	hosts := rest[at:end]
	// The rest is a URL like any other once it has one host.
	u, err := url.Parse("redis://" + rest[:at] + "host" + rest[end:])
	if err != nil || u.Fragment != "" {
		return nil, errors.New("--redis: user, password, path or query is not escaped as in a URL")
	}
	o := &redis.UniversalOptions{IsClusterMode: f.cluster, Username: u.User.Username()}
	o.Password, _ = u.User.Password()
	if f.tls {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if err := errors.Join(f.setHosts(o, hosts, u.Path), f.setQuery(o, u)); err != nil {
		return nil, err
	}
	return o, nil
}

// setHosts takes the addresses, and the path's part in them.
func (f form) setHosts(o *redis.UniversalOptions, hosts, path string) error {
	name := strings.TrimPrefix(path, "/")
	switch {
	case f.unix && (hosts != "" || name == ""):
		return errors.New("--redis: path of the socket must follow unix://")
	case f.unix:
		o.Addrs = []string{path}
		return nil
	case f.sentinel && (name == "" || strings.Contains(name, "/")):
		return errors.New("--redis: name that Sentinels know the primary by must follow the hosts, as /name")
	case f.sentinel:
		o.MasterName = name
	case f.cluster && name != "":
		return errors.New("--redis: a cluster has no databases")
	}
	for i, host := range strings.Split(hosts, ",") {
		addr, err := address(host, f.port)
		if err != nil {
			return fmt.Errorf("--redis: host %d %w", i+1, err)
		}
		o.Addrs = append(o.Addrs, addr)
	}
	if !f.sentinel && !f.cluster && len(o.Addrs) > 1 {
		return errors.New("--redis: several hosts need redis+sentinel or redis+cluster")
	}
	return nil
}

// address is a host with a port.
func address(s, port string) (string, error) {
	host := strings.Trim(s, "[]")
	if h, p, err := net.SplitHostPort(s); err == nil {
		host, port = h, p
	} else if strings.Contains(host, ":") && host == s {
		return "", errors.New("has colons: write an IPv6 address in brackets")
	}
	if host == "" || strings.ContainsAny(host, " \t[]@%") {
		return "", errors.New("has no name")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("has a port that is not from 1 to 65535")
	}
	return net.JoinHostPort(host, port), nil
}

// setQuery takes the database and what Sentinels ask for.
func (f form) setQuery(o *redis.UniversalOptions, u *url.URL) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errors.New("--redis: query is not escaped as in a URL")
	}
	db := query.Get("db")
	if !f.unix && !f.sentinel {
		db = strings.TrimPrefix(u.Path, "/")
	}
	for name := range query {
		known := name == "db" && (f.unix || f.sentinel) ||
			f.sentinel && (name == "sentinel_username" || name == "sentinel_password")
		if !known {
			return errors.New("--redis: query has a name that this scheme does not know")
		}
	}
	o.SentinelUsername, o.SentinelPassword = query.Get("sentinel_username"), query.Get("sentinel_password")
	if db == "" || f.cluster {
		return nil
	}
	if o.DB, err = strconv.Atoi(db); err != nil || o.DB < 0 {
		return errors.New("--redis: database must be a number from 0")
	}
	return nil
}
