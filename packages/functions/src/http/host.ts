/** Whether a Host header is an ASCII name or an address, with or without a port. All transports share this rule. */
export const isHost = (host: string): boolean =>
  /^[\w.-]{1,253}(:\d{1,5})?$|^\[[\da-f:.]{2,45}\](:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`)
