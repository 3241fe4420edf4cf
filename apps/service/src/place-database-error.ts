/** GEOIP_DATABASE cannot be used. */
export class PlaceDatabaseError extends Error {
  override name = 'PlaceDatabaseError'

  constructor(file: string, problem: string) {
    super(`GEOIP_DATABASE ${file} ${problem}. Set it to a city or country database in MaxMind's format (.mmdb), or unset it.`)
  }
}
