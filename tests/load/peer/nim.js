// Nim with the heaps of its environment, as boardgame.io has a game; moves are made by the server alone.
const HEAPS = process.env.HEAPS.split(',').map(Number);

module.exports = {
  name: 'nim',
  setup: () => ({ heaps: [...HEAPS] }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    take: {
      client: false,
      move: ({ G }, stones, heap) => {
        if (!(stones >= 1 && stones <= G.heaps[heap])) return 'INVALID_MOVE';
        G.heaps[heap] -= stones;
      },
    },
  },
  endIf: ({ G, ctx }) => (G.heaps.some((size) => size > 0) ? undefined : { winner: ctx.currentPlayer }),
};
