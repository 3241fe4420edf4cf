/** Returns a function that runs the sends to one address one after another, also when one of them fails. */
export function createAddressOrder() {
  const lastByAddress = new Map<string, Promise<void>>()
  return <Result>(address: string, send: () => Promise<Result>): Promise<Result> => {
    const turn = (lastByAddress.get(address) ?? Promise.resolve()).then(send)
    const settled = turn.then(
      () => {},
      () => {},
    )
    lastByAddress.set(address, settled)
    void settled.then(() => lastByAddress.get(address) === settled && lastByAddress.delete(address))
    return turn
  }
}
