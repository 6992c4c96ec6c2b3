// node server.js PORT FOLDER: boardgame.io with its file store, which writes every move.
const { Server, FlatFile, Origins } = require('boardgame.io/server');
const nim = require('./nim');

const [port, dir] = process.argv.slice(2);
Server({ games: [nim], db: new FlatFile({ dir }), origins: [Origins.LOCALHOST] }).run(Number(port));
