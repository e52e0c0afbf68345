# Run in this folder: gnuplot dotattn_dynamics.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 860,800 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_dynamics.svg'
set multiplot layout 2,1
set key outside right
set xlabel 'samples per dimension t'
set ylabel 'overlaps'
plot 'dotattn_dynamics_theory.csv' using 'time':'theta' with lines ls 1 title '{/Symbol q}', 'dotattn_dynamics_means.csv' using 'time':'theta':'theta_sem' with yerrorbars ls 1 notitle, \
  'dotattn_dynamics_theory.csv' using 'time':'m' with lines ls 2 title 'm', 'dotattn_dynamics_means.csv' using 'time':'m':'m_sem' with yerrorbars ls 2 notitle, \
  'dotattn_dynamics_theory.csv' using 'time':'q' with lines ls 3 title 'q', 'dotattn_dynamics_means.csv' using 'time':'q':'q_sem' with yerrorbars ls 3 notitle
set logscale x
set xlabel 'dimensions d'
set ylabel 'median time of the search'
set xrange [125.0:1000.0]
plot 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.0) < 1e-9 ? column('theory') : NaN) with lines ls 1 title 'theory, {/Symbol l} = 0', 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.0) < 1e-9 ? column('median') : NaN) with points ls 1 notitle, \
  'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.01) < 1e-9 ? column('theory') : NaN) with lines ls 2 title 'theory, {/Symbol l} = 0.01', 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.01) < 1e-9 ? column('median') : NaN) with points ls 2 notitle
unset multiplot
unset logscale
set xrange [*:*]
unset output
set terminal pngcairo size 860,800 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_dynamics.png'
set multiplot layout 2,1
set key outside right
set xlabel 'samples per dimension t'
set ylabel 'overlaps'
plot 'dotattn_dynamics_theory.csv' using 'time':'theta' with lines ls 1 title '{/Symbol q}', 'dotattn_dynamics_means.csv' using 'time':'theta':'theta_sem' with yerrorbars ls 1 notitle, \
  'dotattn_dynamics_theory.csv' using 'time':'m' with lines ls 2 title 'm', 'dotattn_dynamics_means.csv' using 'time':'m':'m_sem' with yerrorbars ls 2 notitle, \
  'dotattn_dynamics_theory.csv' using 'time':'q' with lines ls 3 title 'q', 'dotattn_dynamics_means.csv' using 'time':'q':'q_sem' with yerrorbars ls 3 notitle
set logscale x
set xlabel 'dimensions d'
set ylabel 'median time of the search'
set xrange [125.0:1000.0]
plot 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.0) < 1e-9 ? column('theory') : NaN) with lines ls 1 title 'theory, {/Symbol l} = 0', 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.0) < 1e-9 ? column('median') : NaN) with points ls 1 notitle, \
  'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.01) < 1e-9 ? column('theory') : NaN) with lines ls 2 title 'theory, {/Symbol l} = 0.01', 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - 0.01) < 1e-9 ? column('median') : NaN) with points ls 2 notitle
unset multiplot
unset logscale
set xrange [*:*]
unset output
