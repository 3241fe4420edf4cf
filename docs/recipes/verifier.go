// A backend that believes access tokens. Standard library only:
// ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com go run verifier.go
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

var accountsURL, audience = os.Getenv("ACCOUNTS_URL"), os.Getenv("AUDIENCE")

// An empty acr and a maxAge of 0 require nothing.
type requirement struct {
	scope, acr string
	maxAge     int64
}

var routes = map[string]requirement{
	"GET /orders":       {scope: "order:read"},
	"POST /orders":      {scope: "order:place", maxAge: 3600},
	"GET /withdrawals":  {scope: "withdrawal:read", acr: "aal2"},
	"POST /withdrawals": {scope: "withdrawal:create", acr: "aal2", maxAge: 300},
}

type claims struct {
	Iss, Aud, Sub, Acr, Scope string
	Org, Role                 *string
	Exp, Nbf                  int64
	AuthTime                  int64 `json:"auth_time"`
}

var (
	errInvalid     = errors.New("invalid token")
	errUnavailable = errors.New("keys unavailable")
)

// The key set, kept for five minutes. Unknown key ids fetch it again at most every 30 seconds.
type keySet struct {
	reading, fetching  sync.RWMutex
	keys               map[string]*ecdsa.PublicKey
	staleAt, nextFetch time.Time
}

func (set *keySet) known(kid string) (key *ecdsa.PublicKey, isFresh bool) {
	set.reading.RLock()
	defer set.reading.RUnlock()
	return set.keys[kid], time.Now().Before(set.staleAt)
}

func (set *keySet) find(kid string) (*ecdsa.PublicKey, error) {
	if key, isFresh := set.known(kid); key != nil && isFresh {
		return key, nil
	}
	set.fetching.Lock()
	defer set.fetching.Unlock()
	key, isFresh := set.known(kid)
	if now := time.Now(); (key == nil || !isFresh) && now.After(set.nextFetch) {
		set.nextFetch = now.Add(time.Second)
		keys, err := fetchKeys()
		if err != nil {
			return nil, errUnavailable
		}
		set.nextFetch = now.Add(30 * time.Second)
		set.reading.Lock()
		set.keys, set.staleAt = keys, now.Add(5*time.Minute)
		set.reading.Unlock()
		key, isFresh = keys[kid], true
	}
	if !isFresh {
		return nil, errUnavailable
	}
	if key == nil {
		return nil, errInvalid
	}
	return key, nil
}

var keys keySet
var client = http.Client{Timeout: 3 * time.Second}

func fetchKeys() (map[string]*ecdsa.PublicKey, error) {
	response, err := client.Get(accountsURL + "/auth/jwks")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, errUnavailable
	}
	var body struct {
		Keys []struct{ Kid, Alg, Crv, X, Y string }
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return nil, err
	}
	found := map[string]*ecdsa.PublicKey{}
	for _, jwk := range body.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(jwk.X)
		y, errY := base64.RawURLEncoding.DecodeString(jwk.Y)
		key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
		if jwk.Alg == "ES256" && jwk.Crv == "P-256" && errX == nil && errY == nil && key.Curve.IsOnCurve(key.X, key.Y) {
			found[jwk.Kid] = key
		}
	}
	return found, nil
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func verify(token string) (*claims, error) {
	parts := strings.Split(token, ".")
	var header struct{ Alg, Typ, Kid string }
	if len(parts) != 3 || decode(parts[0], &header) != nil || header.Alg != "ES256" || header.Typ != "at+jwt" {
		return nil, errInvalid
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return nil, errInvalid
	}
	key, err := keys.find(header.Kid)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	var found claims
	if !ecdsa.Verify(key, digest[:], r, s) || decode(parts[1], &found) != nil {
		return nil, errInvalid
	}
	now, leeway := time.Now().Unix(), int64(5)
	isCurrent := now < found.Exp+leeway && now >= found.Nbf-leeway
	if !isCurrent || found.Iss != accountsURL || found.Aud != audience || found.Sub == "" || found.Acr == "" || found.AuthTime == 0 {
		return nil, errInvalid
	}
	return &found, nil
}

func answer(w http.ResponseWriter, status int, challenge string, body any) {
	w.Header().Set("content-type", "application/json")
	if challenge != "" {
		w.Header().Set("www-authenticate", challenge)
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code, challenge string) {
	answer(w, status, challenge, map[string]string{"code": code})
}

func handle(w http.ResponseWriter, request *http.Request) {
	required, isRoute := routes[request.Method+" "+request.URL.Path]
	if !isRoute {
		refuse(w, 404, "NOT_FOUND", "")
		return
	}
	scheme, token, _ := strings.Cut(request.Header.Get("authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		refuse(w, 401, "UNAUTHORIZED", "Bearer")
		return
	}
	found, err := verify(token)
	if err == errUnavailable {
		refuse(w, 503, "SERVICE_UNAVAILABLE", "")
		return
	}
	if err != nil {
		refuse(w, 401, "UNAUTHORIZED", `Bearer error="invalid_token"`)
		return
	}
	if !strings.Contains(" "+found.Scope+" ", " "+required.scope+" ") {
		refuse(w, 403, "INSUFFICIENT_SCOPE", fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s"`, required.scope))
		return
	}
	// RFC 9470: the challenge says what the person must prove.
	// A proof more than a minute in the future counts as too old: the clock was set back.
	age, acr, isStrong := time.Now().Unix()-found.AuthTime, required.acr, found.Acr >= required.acr
	isRecent := required.maxAge == 0 || (age <= required.maxAge && age >= -60)
	if isStrong {
		acr = found.Acr
	}
	if !isStrong || !isRecent {
		challenge := fmt.Sprintf(`Bearer error="insufficient_user_authentication", acr_values="%s"`, acr)
		if required.maxAge != 0 {
			challenge += fmt.Sprintf(`, max_age="%d"`, required.maxAge)
		}
		refuse(w, 401, "INSUFFICIENT_USER_AUTHENTICATION", challenge)
		return
	}
	answer(w, 200, "", map[string]any{"user": found.Sub, "org": found.Org, "role": found.Role})
}

func main() {
	if accountsURL == "" || audience == "" {
		log.Fatal("Set ACCOUNTS_URL and AUDIENCE.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(handle)))
}
