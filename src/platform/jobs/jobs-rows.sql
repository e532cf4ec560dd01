-- name: add_jobs
SELECT count(*) AS added
FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW(job.task, job.payload, job.queue, job.run_at, NULL, job.job_key, NULL, NULL)::graphile_worker.job_spec
  FROM unnest($1::text[], $2::json[], $3::timestamptz[], $4::text[], $5::text[])
    AS job (task, payload, run_at, job_key, queue)))

-- name: lock_runner
-- A job is locked by the id of its process's runner. This lock is held by the session, so that it ends with the process.
SELECT pg_advisory_lock(hashtextextended('parterre jobs ' || $1::text, 0))

-- name: release_abandoned
-- A runner is dead when its lock can be had; one that took a job just now may not have its lock yet.
WITH runners AS MATERIALIZED (
  SELECT DISTINCT job.locked_by AS id
  FROM graphile_worker.jobs job
  WHERE job.locked_at < clock_timestamp() - interval '10 seconds'
), dead AS MATERIALIZED (
  SELECT array_agg(runners.id) AS ids
  FROM runners
  WHERE pg_try_advisory_xact_lock(hashtextextended('parterre jobs ' || runners.id, 0))
)
SELECT cardinality(dead.ids) AS runners, graphile_worker.force_unlock_workers(dead.ids)
FROM dead
WHERE dead.ids IS NOT NULL
