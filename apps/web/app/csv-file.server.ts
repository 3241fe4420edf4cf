import { toCsv } from '@floorpass/api'

/** A CSV download, named after the day. */
export const csvFile = (name: string, rows: readonly (readonly string[])[]): Response =>
  new Response(toCsv(rows), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}-${new Date().toISOString().slice(0, 10)}.csv"`,
    },
  })
