-- Events before this month stay in the table of today, which becomes one partition (ADR 045). At least 32 days ahead, so that
-- no id reaches the bound before the next two migrations ran. A node whose clock ran ahead moves it further.
DO $$
DECLARE
  newest text := (SELECT max("id") FROM "audit_events");
  moment timestamptz := now() + interval '32 days';
  bound text;
BEGIN
  IF newest !~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    RAISE EXCEPTION 'the audit event % has no UUIDv7 as its id, and cannot be assigned to a month: delete or rename it', newest;
  END IF;
  moment := greatest(moment, to_timestamp(('x' || lpad(left(replace(newest, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0));
  bound := lpad(to_hex((extract(epoch FROM date_trunc('month', moment AT TIME ZONE 'UTC') + interval '1 month') * 1000)::bigint), 12, '0');
  bound := left(bound, 8) || '-' || substr(bound, 9) || '-7000-8000-000000000000';
  EXECUTE format('ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_month_bound" CHECK ("id" < %L) NOT VALID', bound);
END
$$;
