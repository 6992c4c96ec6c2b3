// node clients.js PORT: plays rounds of Nim on boardgame.io, each player on a connection of its own. A client plays one
// match after the other, one stone at a time, and sends the next move when the server's new position has come.
const { Client } = require('boardgame.io/client');
const { SocketIO } = require('boardgame.io/multiplayer');
const nim = require('./nim');
const answerRounds = require('./rounds');

const server = `http://127.0.0.1:${process.argv[2]}`;

async function post(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${server}/games/nim/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

// One subscription each, for boardgame.io ends the wrong one when one of several is ended.
class Player {
  constructor(matchID, playerID, credentials) {
    this.client = Client({ game: nim, multiplayer: SocketIO({ server }), matchID, playerID, credentials, debug: false });
    this.waiting = [];
    this.client.start();
    this.client.subscribe((state) => {
      const ready = this.waiting.filter(({ holds }) => holds(state));
      this.waiting = this.waiting.filter(({ holds }) => !holds(state));
      ready.forEach(({ resolve }) => resolve());
    });
  }

  until(holds) {
    return new Promise((resolve) => this.waiting.push({ holds, resolve }));
  }
}

async function sitDown() {
  const { matchID } = await post('create', { numPlayers: 2 });
  const players = [];
  for (const playerID of ['0', '1']) {
    const { playerCredentials } = await post(`${matchID}/join`, { playerID, playerName: playerID });
    const player = new Player(matchID, playerID, playerCredentials);
    await player.until((state) => state !== null);
    players.push(player);
  }
  return players;
}

class Table {
  async move(times) {
    if (!this.players || this.players[0].client.getState().ctx.gameover) {
      if (this.players) this.players.forEach((player) => player.client.stop());
      this.players = await sitDown();
    }
    const { G, ctx, _stateID } = this.players[0].client.getState();
    const mover = Number(ctx.currentPlayer);
    const came = this.players.map((player) => player.until((state) => state._stateID > _stateID));
    const began = performance.now();
    this.players[mover].client.moves.take(1, G.heaps.findIndex((size) => size > 0));
    await came[mover];
    times.push((performance.now() - began) / 1000);
    await came[1 - mover];
  }
}

const tables = [];

async function closed(clients, seconds) {
  const times = [];
  while (tables.length < clients) tables.push(new Table());
  const end = performance.now() + 1000 * seconds;
  await Promise.all(
    tables.slice(0, clients).map(async (table) => {
      while (performance.now() < end) await table.move(times);
    }),
  );
  return times;
}

answerRounds(closed);
