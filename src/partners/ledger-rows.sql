-- name: lock_account
SELECT a.id, a.kind, a.balance, a.credit_limit FROM accounts a WHERE a.id = $1 FOR UPDATE

-- name: insert_transfers
INSERT INTO transfers (debit_account, kind, ref, credit_account, amount, created_at)
SELECT u.debit_account, $1, u.ref, u.credit_account, u.amount, $2
FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) AS u(debit_account, ref, credit_account, amount)

-- name: move_balance
UPDATE accounts SET balance = balance + $2 WHERE id = $1
