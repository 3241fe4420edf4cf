/** Whether a Host header makes a URL: a name in ASCII or an address, with or without a port. Every transport asks here. */
export const isHost = (host: string): boolean =>
  /^[\w.-]{1,253}(:\d{1,5})?$|^\[[\da-f:.]{2,45}\](:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`)
