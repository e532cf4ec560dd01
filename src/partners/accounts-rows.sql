-- name: ensure_account
INSERT INTO accounts (id, partner, kind, currency)
VALUES ($1, $2, $3, $4)
ON CONFLICT ON CONSTRAINT accounts_one_of_a_kind DO NOTHING

-- name: notify_catalog
-- Deals in the catalogs of running services name the accounts that pay.
SELECT pg_notify('catalog', '')

-- name: find_account
SELECT id, balance
FROM accounts
WHERE partner IS NOT DISTINCT FROM $1 AND kind = $2 AND currency = $3

-- name: find_transfer
SELECT credit_account, amount
FROM transfers
WHERE debit_account = $1 AND kind = $2 AND ref = $3

-- name: accounts_of_partner
SELECT id, kind, currency, balance, credit_limit
FROM accounts
WHERE partner = $1
ORDER BY kind, currency

-- name: last_transfers
SELECT kind, ref, created_at, CASE WHEN debit_account = $1 THEN -amount ELSE amount END AS amount
FROM transfers
WHERE debit_account = $1 OR credit_account = $1
ORDER BY created_at DESC, kind, ref
LIMIT $2
