/** A bounded number of places. */
export type Places = {
  /** Takes one and answers the way to give it back, once; `undefined` when all are taken. */
  enter(): (() => void) | undefined;
};

/** Makes the places. */
export function createPlaces(count: number): Places {
  let taken = 0;
  return {
    enter() {
      if (taken >= count) return undefined;
      taken += 1;
      let isMine = true;
      return () => {
        if (isMine) taken -= 1;
        isMine = false;
      };
    },
  };
}
