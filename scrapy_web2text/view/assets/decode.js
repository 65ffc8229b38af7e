"use strict";
// Decoding of a chain of blocks with two labels: the same arithmetic as labelers/chain.py, which has the explanations.

const MAX_LOG = 100;

// Returns which blocks are content, and the probability of each.
// odds: log-odds of CONTENT of n blocks. pairs: three lists of the n - 1 log-ratios of 01, 10 and 11, each to 00.
function decodeChain(odds, pairs, {lam, temperature, threshold, decoder}) {
  const own = odds.map((value) => toRatio(value / temperature));
  const ratios = pairs.map((list) => list.map((value) => toRatio(value * (lam / temperature))));
  const probabilities = logOdds(own, ratios, sumMessages).map((value) => 1 / (1 + Math.exp(-value)));
  if (decoder === "marginal") {
    return {isContent: probabilities.map((value) => value >= threshold), probabilities};
  }
  const least = Math.log(threshold / (1 - threshold));
  return {isContent: logOdds(own, ratios, maxMessages).map((value) => value > least), probabilities};
}

function toRatio(log) {
  return Math.exp(Math.min(Math.max(log, -MAX_LOG), MAX_LOG));
}

// Returns the log-odds of each block, given the function that computes the messages from one side.
function logOdds(own, [p01, p10, p11], messages) {
  const forward = messages(own, p01, p10, p11);
  const back = (list) => list.slice().reverse();
  const backward = back(messages(back(own), back(p10), back(p01), back(p11)));
  return own.map((ratio, i) => Math.log(ratio) + Math.log(forward[i]) + Math.log(backward[i]));
}

function maxMessages(own, p01, p10, p11) {
  const messages = [1];
  for (let i = 0; i + 1 < own.length; i++) {
    const ratio = messages[i] * own[i];
    messages.push(Math.max(p01[i], ratio * p11[i]) / Math.max(1, ratio * p10[i]));
  }
  return messages;
}

function sumMessages(own, p01, p10, p11) {
  const messages = [1];
  for (let i = 0; i + 1 < own.length; i++) {
    const ratio = messages[i] * own[i];
    messages.push((p01[i] + ratio * p11[i]) / (1 + ratio * p10[i]));
  }
  return messages;
}
