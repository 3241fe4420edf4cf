-- Reads the whole table beside all requests, so that the next migration need not read it under a lock (ADR 045).
-- Waiting for this lock blocks no request, and ends an autovacuum.
SET LOCAL lock_timeout = '30s';
ALTER TABLE "audit_events" VALIDATE CONSTRAINT "audit_events_month_bound";
