-- Makes the table of today the first partition of a table with one partition a month: ADR 045.

-- Waiting for this lock blocks no request, and ends an autovacuum.
SET LOCAL lock_timeout = '30s';
LOCK TABLE "audit_events" IN SHARE UPDATE EXCLUSIVE MODE;
-- Users first, as every other transaction locks them. The foreign key moves to the new table.
SET LOCAL lock_timeout = '500ms';
LOCK TABLE "users", "audit_events" IN ACCESS EXCLUSIVE MODE;

ALTER TABLE "audit_events" RENAME TO "audit_events_before_months";
DO $$
DECLARE
  index_name text;
BEGIN
  FOR index_name IN SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '"audit_events_before_months"'::regclass
  LOOP
    EXECUTE format('ALTER INDEX %s RENAME TO %I', index_name,
      replace((parse_ident(index_name))[array_upper(parse_ident(index_name), 1)], 'audit_events_', 'audit_events_before_months_'));
  END LOOP;
END
$$;

-- CreateTable
CREATE TABLE "audit_events" (
  LIKE "audit_events_before_months" INCLUDING DEFAULTS,
  CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateIndex
CREATE INDEX "audit_events_user_id_id_idx" ON "audit_events"("user_id", "id");
CREATE INDEX "audit_events_user_id_action_id_idx" ON "audit_events"("user_id", "action", "id");
CREATE INDEX "audit_events_action_id_idx" ON "audit_events"("action", "id");
CREATE INDEX "audit_events_created_at_idx" ON "audit_events"("created_at");
CREATE INDEX "audit_events_organization_id_id_idx" ON "audit_events"("organization_id", "id") WHERE "organization_id" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The roles that could use the table of today can use the new one.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT grantee, privilege_type FROM pg_class, aclexplode(relacl)
    WHERE oid = '"audit_events_before_months"'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON "audit_events" TO %s', granted.privilege_type,
      CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END);
  END LOOP;
END
$$;

-- Attaches the indexes and the foreign key too. The validated constraint spares reading the table.
DO $$
DECLARE
  bound text := (
    SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''') FROM pg_constraint
    WHERE conrelid = '"audit_events_before_months"'::regclass AND conname = 'audit_events_month_bound'
  );
BEGIN
  EXECUTE format('ALTER TABLE "audit_events" ATTACH PARTITION "audit_events_before_months" FOR VALUES FROM (MINVALUE) TO (%L)', bound);
END
$$;
ALTER TABLE "audit_events_before_months" DROP CONSTRAINT "audit_events_month_bound";

-- Takes the events of a month without a partition, and of a clock that ran ahead.
CREATE TABLE "audit_events_default" PARTITION OF "audit_events" DEFAULT;

-- CreateFunction: the smallest UUIDv7 of a moment.
CREATE FUNCTION "audit_event_id_at"(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(hex, 8) || '-' || substr(hex, 9) || '-7000-8000-000000000000'
  FROM lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') AS hex
$$;

-- CreateFunction: the partitions of audit_events but the default one.
CREATE FUNCTION "audit_months"() RETURNS TABLE (name text, lower_id text, upper_id text) LANGUAGE sql STABLE AS $$
  SELECT partition.oid::regclass::text, coalesce(substring(bound FROM 'FROM \(''([^'']*)'''), ''), substring(bound FROM 'TO \(''([^'']*)''')
  FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid
  CROSS JOIN LATERAL pg_get_expr(partition.relpartbound, partition.oid) AS bound
  WHERE inhparent = 'audit_events'::regclass AND bound <> 'DEFAULT'
$$;

-- CreateFunction: runs with the rights of the owner, since the service may have none to create a table.
-- Returns the months that it created. A month with many events in the default partition stays there.
CREATE FUNCTION "create_audit_months"(since timestamptz, count integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
  SET lock_timeout = '500ms' SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz;
  from_id text;
  to_id text;
  created text;
BEGIN
  IF NOT has_table_privilege(session_user, 'audit_events', 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied for the months of audit_events';
  END IF;
  FOR month IN SELECT date_trunc('month', since) + step * interval '1 month' FROM generate_series(0, least(count, 12)) AS step
  LOOP
    from_id := audit_event_id_at(month);
    to_id := audit_event_id_at(month + interval '1 month');
    CONTINUE WHEN EXISTS (SELECT FROM audit_months() WHERE lower_id <= from_id AND upper_id > from_id);
    -- One process at a time. The second one sees what the first one created.
    LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;
    CONTINUE WHEN EXISTS (SELECT FROM audit_months() WHERE lower_id <= from_id AND upper_id > from_id);
    LOCK TABLE audit_events_default IN ACCESS EXCLUSIVE MODE;
    CONTINUE WHEN (SELECT count(*) FROM (SELECT FROM audit_events_default WHERE id >= from_id AND id < to_id LIMIT 1001) AS events) > 1000;
    created := to_char(month, '"audit_events_"YYYY_MM');
    EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS)', created);
    EXECUTE format('WITH moved AS (DELETE FROM audit_events_default WHERE id >= %L AND id < %L RETURNING *) INSERT INTO %I SELECT * FROM moved', from_id, to_id, created);
    EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', created, from_id, to_id);
    RETURN NEXT created;
  END LOOP;
END
$$;

-- CreateFunction: drops the partitions whose last event is older. Returns their names.
CREATE FUNCTION "drop_audit_months"(before timestamptz) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
  SET lock_timeout = '500ms' AS $$
DECLARE
  dropped text;
BEGIN
  IF NOT has_table_privilege(session_user, 'audit_events', 'DELETE') THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied for the months of audit_events';
  END IF;
  IF NOT EXISTS (SELECT FROM audit_months() WHERE upper_id <= audit_event_id_at(before)) THEN RETURN; END IF;
  -- By the clock of PostgreSQL: neither a stolen password nor a service whose clock runs ahead drops recent months.
  IF before > now() - interval '1 year' THEN
    RAISE invalid_parameter_value USING
      MESSAGE = format('no month of audit_events before %s is dropped, because those of the last year are kept', before),
      HINT = 'Correct the clock of the service.';
  END IF;
  -- One process at a time. The second one finds nothing left.
  LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE;
  FOR dropped IN SELECT name FROM audit_months() WHERE upper_id <= audit_event_id_at(before)
  LOOP
    EXECUTE format('DROP TABLE %s', dropped);
    RETURN NEXT dropped;
  END LOOP;
END
$$;

-- The functions with the rights of the owner must not find another schema's tables.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION create_audit_months(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_audit_months(timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;

SELECT create_audit_months(now(), 4);
